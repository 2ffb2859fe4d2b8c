export { JSON_LIMITS } from './json-limits.ts';
export { LineSafeBytes, lineSafeBytes, lineSafePieces } from './line-safe-bytes.ts';
export { checkJson, parseJson } from './parse-json.ts';
