export { Pythons, type PythonsOptions } from './pythons.ts';
export { type Interpreter } from './python-notes.ts';
export { type IndexSettings, mergeSettings, noSettings, secretsOf } from './index-settings.ts';
export { pipConfigOf, readPipConfig, uvConfigOf } from './index-files-rules.ts';
export { type Environment, passedVariables, readOperatorSettings } from './operator-settings.ts';
export { findAnyUv, findUv, provideUv, pruneUv, type UvOptions } from './provide-uv.ts';
export { VERSION as UV_VERSION } from './releases.ts';
