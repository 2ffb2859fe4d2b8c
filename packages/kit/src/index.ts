export {
  Admission,
  type AdmissionOptions,
  type Bound,
  type Owner,
  type PlaceOptions,
} from './admission/admission.ts';
export type { Place } from './admission/seat.ts';
export { allowedMethods } from './allowed-methods-rules.ts';
export * from './assertions.ts';
export * from './blobs/blobs.ts';
export * from './blobs/folder-blobs.ts';
export * from './blobs/sync.ts';
export * from './body.ts';
export * from './clock.ts';
export * from './config.ts';
export * from './dialects.ts';
export * from './event-stream.ts';
export { Fifo } from './fifo.ts';
export * from './hand-off.ts';
export { takeHanded, type ParentChannel } from './handed-connections.ts';
export * from './admission/held-bodies.ts';
export * from './http-server.ts';
export * from './ids.ts';
export * from './inward.ts';
export * from './problems/error-class.ts';
export { fewOf, issuesOf } from './problems/issue-rules.ts';
export { joined } from './joined-bytes.ts';
export { JSON_LIMITS } from './json/json-limits.ts';
export { checkJson, parseJson } from './json/parse-json.ts';
export { arrivals, TimeSlice } from './json/time-slice.ts';
export { LineSafeBytes, lineSafeBytes, lineSafePieces } from './line-safe-bytes.ts';
export { LINE_ENDS, lineSafe } from './line-safe-rules.ts';
export * from './lines.ts';
export * from './log.ts';
export * from './loop.ts';
export * from './node-listener.ts';
export * from '@roadstead/postgres';
export * from './page-by-id.ts';
export * from './problems/problem.ts';
export * from './proxy.ts';
export { requestHeaders, UPGRADE } from './proxy-rules.ts';
export { Pulse, type PulseLimits } from './pulse.ts';
export * from './secret-box.ts';
export * from './serve.ts';
export { tendHeap } from './tended-heap.ts';
export * from './text-response.ts';
export * from './upgraded-sockets.ts';
export * from './receiver.ts';
