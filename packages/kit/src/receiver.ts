/**
 * Which host an address is of, as its calls take turns: however it is written, and with its port unless that is the usual
 * one. Nobody's for what is no address, such as a path.
 */
export const receiverOf = (url: string): string => URL.parse(url)?.host ?? '';
