/**
 * The host of an address, as calls to it take turns: normalized, and with its port unless that is the default. Empty
 * for what is no address, such as a path.
 */
export const receiverOf = (url: string): string => URL.parse(url)?.host ?? '';
