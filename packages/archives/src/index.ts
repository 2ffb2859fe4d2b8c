export { type PackOptions, packFiles } from './pack.ts';
export { unpackArtifact, unpackSource } from './unpack.ts';
