const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** W3C Trace Context of a call, where it is well-formed; anything else counts as none. Pure. */
export const traceparentOf = (text: string | null | undefined): string | undefined =>
  typeof text === 'string' && TRACEPARENT.test(text) ? text : undefined;
