export { JSON_LIMITS } from './json-limits.ts';
export { elementsAtOnce, elementsOf, membersAtOnce, membersOf } from './json-slices.ts';
export { checkJson, parseJson, withoutMark } from './parse-json.ts';
export { LineSafeBytes, lineSafeBytes, lineSafePieces } from './line-safe-bytes.ts';
