// Stands for `js-base64`, of which a libSQL client uses these two: the platform has them built in.
const PART = 8192;

export const Base64 = {
  fromUint8Array(bytes) {
    let text = "";
    for (let at = 0; at < bytes.length; at += PART)
      text += String.fromCharCode(...bytes.subarray(at, at + PART));
    return btoa(text);
  },
  toUint8Array: (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0)),
};
