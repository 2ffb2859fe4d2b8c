/**
 * What a graph host is given beside its output: the channel of the host protocol, and two connections that speak HTTP/2.
 * On one the engine asks the project's own app (`http.app`), on the other the project's code asks its deployment.
 */
export const descriptors = { channel: 3, app: 4, loopback: 5 } as const;

export type ConnectionName = keyof typeof descriptors;

/**
 * The variables of a host that no descriptors can be handed to, because it runs elsewhere: the path of a unix socket, and the token
 * by which it is known there. It opens one connection for each of the descriptors, and begins it with one line: a `DialHello`
 * as JSON. Both variables are taken out of its environment before any code of the user's runs.
 */
export const dialVariables = { socket: 'ROADSTEAD_DIAL_SOCKET', token: 'ROADSTEAD_DIAL_TOKEN' } as const;

/** On an answer: the project's app has nothing at this address. */
export const NOT_SERVED_HEADER = 'x-roadstead-not-served';
