export { bakedVariables, isMadeForOriginal, readBakedConfig } from './baked-config.ts';
export { ImageSettings, isAboutImage } from './image-settings.ts';
export { type Language, languageOf } from './languages.ts';
export { folderOf, normalPath, staysInside } from './paths.ts';
export { languagesOf, partsByLanguage, type ProjectParts } from './project-parts.ts';
export {
  type GraphConfig,
  isModule,
  isPath,
  KeptGraphConfig,
  type ProjectGraphs,
  type ReadConfig,
  readLangGraphJson,
} from './read.ts';
export { isServedPython, PythonSettings, SERVED_PYTHON, SERVED_MINORS } from './python-settings.ts';
export { RULES_MARK } from './rules-mark.ts';
export {
  type AuthSettings,
  type CheckpointerSettings,
  type CorsSettings,
  defaultSettings,
  type HeaderPatterns,
  type HttpSettings,
  type ProjectSettings,
  type StoreIndex,
  type StoreSettings,
  type ThreadTtl,
  type WebhookSettings,
} from './settings.ts';
