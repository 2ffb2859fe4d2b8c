import { type Language, languageOf } from './languages.ts';
import { filesOf, type GraphConfig, isModule, type ProjectGraphs } from './read.ts';

/** The languages of a project: of its graphs, and of its own `auth`, app and embedder. */
export const languagesOf = (config: GraphConfig): Language[] => [
  ...new Set(filesOf(config).map(([, module]) => languageOf(module))),
];

/** The parts of a project in each language: its graphs, and its `auth`, HTTP app and embedder. */
export type ProjectParts = Readonly<Partial<Record<Language, ProjectGraphs>>>;

/** Divides a project by language. An embedder of a provider goes with the first graph. */
export function partsByLanguage(project: ProjectGraphs): ProjectParts {
  const owners = ownersOf(project);
  const parts = owners.languages.map((language) => {
    const { http, store, auth, graphs } = project;
    const part: ProjectGraphs = {
      ...project,
      graphs: Object.fromEntries(
        Object.entries(graphs).filter(([, { path }]) => languageOf(path) === language),
      ),
      http: owners.app === language ? http : { ...http, app: null },
      store: store === null || owners.embed === language ? store : { ...store, index: null },
      auth: owners.auth === language ? auth : null,
    };
    return [language, part] as const;
  });
  return Object.fromEntries(parts);
}

/** The language of each thing in a project that is no graph. */
interface Owners {
  readonly app: Language | undefined;
  readonly auth: Language | undefined;
  readonly embed: Language | undefined;
  /** All languages that the project has a part in, that of the first graph first. */
  readonly languages: readonly Language[];
}

function ownersOf({ graphs, http, auth, store }: ProjectGraphs): Owners {
  const of_graphs = Object.values(graphs).map(({ path }) => languageOf(path));
  const embed = store?.index?.embed ?? null;
  const owners = {
    app: http.app === null ? undefined : languageOf(http.app),
    auth: auth === null ? undefined : languageOf(auth.path),
    embed: embed === null ? undefined : isModule(embed) ? languageOf(embed) : of_graphs[0],
  };
  const languages = [...of_graphs, owners.app, owners.auth, owners.embed].filter((one) => one !== undefined);
  return { ...owners, languages: [...new Set(languages)] };
}
