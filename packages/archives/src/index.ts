export { firstLinkOut, leadsOut, realPathInside } from './links.ts';
export { type PackOptions, packedFiles, packFiles } from './pack.ts';
export { unpackArtifact, unpackSource } from './unpack.ts';
