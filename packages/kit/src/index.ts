export {
  Admission,
  type AdmissionOptions,
  type Bound,
  type Owner,
  type PlaceOptions,
} from './admission/admission.ts';
export type { Place } from './admission/seat.ts';
export * from './clock.ts';
export * from './config.ts';
export { Fifo } from './fifo.ts';
export * from './files/sync.ts';
export { writeWhole } from './files/write-whole.ts';
export * from './admission/held-bodies.ts';
export * from './ids.ts';
export * from './problems/error-class.ts';
export { fewOf, issuesOf } from './problems/issue-rules.ts';
export { joined } from './joined-bytes.ts';
export { arrivals, inTimeSlices, TimeSlice } from './time-slice.ts';
export { LINE_ENDS, lineSafe } from './line-safe-rules.ts';
export { cutLine, MAX_LINE } from './line-splitter.ts';
export * from './lines.ts';
export { Allowance } from './output-limits.ts';
export { OutputTail } from './output-tail.ts';
export * from './log.ts';
export * from './loop.ts';
export * from './page-by-id.ts';
export * from './problems/problem.ts';
export { type Challenge, challengeOf, tokenAddress } from './registries/challenge-rules.ts';
export {
  basicOf,
  DOCKER_HUB,
  findLogin,
  type RegistryLogin,
  registryLogins,
} from './registries/registry-logins.ts';
export { Pulse, type PulseLimits } from './pulse.ts';
export * from './secret-box.ts';
export { tendHeap } from './tended-heap.ts';
export * from './receiver.ts';
export { keepRenewing } from './renewal.ts';
