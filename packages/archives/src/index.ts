export { type PackOptions, packedFiles, packFiles } from './pack.ts';
export { unpackArtifact, unpackSource } from './unpack.ts';
