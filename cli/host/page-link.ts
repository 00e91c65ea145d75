/** Returns a sign-in link. The part after # is not sent to servers and does not appear in logs. */
export const pageLink = (url: string, code: string): string => `${url}/#code=${code}`;
