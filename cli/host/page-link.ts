/** Returns a link that signs in. What follows the # is sent to no server and appears in no log. */
export const pageLink = (url: string, code: string): string => `${url}/#code=${code}`;
