import { type Language, languageOf } from './languages.ts';
import { filesOf, type GraphConfig, type ReadConfig } from './read.ts';

/** The languages whose graphs are served here. */
const SERVED: readonly Language[] = ['javascript'];

/** The languages of a project: of its graphs, and of its own `auth`, app and embedder. */
export const languagesOf = (config: GraphConfig): Language[] => [
  ...new Set(filesOf(config).map(([, module]) => languageOf(module))),
];

/** Refuses a configuration that names a module in a language that is not served. */
export function refuseUnservedLanguages(read: ReadConfig, served = SERVED): ReadConfig {
  if (read.kind === 'refused') return read;
  const { config } = read;
  const unserved = filesOf(config).find(([, module]) => !served.includes(languageOf(module)));
  if (unserved === undefined) return read;
  const [key, module] = unserved;
  const message = `${config.config_path}: ${key}: ${module} is Python; only JavaScript and TypeScript run here.`;
  return { kind: 'refused', message };
}
