export { folderOf, normalPath, staysInside } from './paths.ts';
export { type GraphConfig, type ProjectGraphs, readLangGraphJson } from './read.ts';
