import type { Millis } from "../kernel/time.ts";
import type { QuietHours } from "../model/channel.ts";

const DAY_MINUTES = 24 * 60;

/** Parses `22:00-07:00` with an optional time zone, UTC by default; undefined if it is invalid. */
export function parseQuiet(text: string): QuietHours | undefined {
  const [, fromHour, fromMinute, toHour, toMinute, zone = "UTC"] =
    /^(\d{2}):(\d{2})-(\d{2}):(\d{2})(?: ([A-Za-z0-9_+/-]{1,60}))?$/.exec(text) ?? [];
  const [from, to] = [minutesOf(fromHour, fromMinute), minutesOf(toHour, toMinute)];
  if (from === undefined || to === undefined || from === to || !isZone(zone)) return undefined;
  return { from, to, zone };
}

function minutesOf(hour: string | undefined, minute: string | undefined): number | undefined {
  const minutes = Number(hour) * 60 + Number(minute);
  return Number(minute) < 60 && minutes < DAY_MINUTES ? minutes : undefined;
}

export const quietText = ({ from, to, zone }: QuietHours): string =>
  `${timeOfDay(from)}-${timeOfDay(to)} ${zone}`;

const timeOfDay = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

export function isQuietHour(hours: QuietHours | null, now: Millis): boolean {
  if (!hours) return false;
  const minute = minuteOfDay(now, hours.zone);
  const { from, to } = hours;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

function minuteOfDay(now: Millis, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(now);
  const part = (name: string) => Number(parts.find(({ type }) => type === name)?.value);
  return part("hour") * 60 + part("minute");
}
