import { type GraphConfig, type Language, languagesOf } from '@roadstead/contracts/langgraph-json';
import { type Finding, type FindingDetails, fine, warning, wrong } from './finding.ts';
import { ofPython, type PythonFiles, type PythonOfMachine, pythonOfMachine } from './python-rules.ts';

/** Facts of this machine, its platform and a project; undefined where a fact is not known. */
export interface MachineFacts {
  readonly node_version: string;
  readonly is_root: boolean;
  readonly missing_programs: readonly string[];
  readonly data_folder: {
    readonly path: string;
    /** Undefined where it doesn't exist yet. */
    readonly mode: number | undefined;
    readonly is_own: boolean;
    readonly free_bytes: number;
  };
  /** Why user namespaces can't be created; null where they can. */
  readonly no_namespaces: string | null;
  /** Whether there is a PostgreSQL to start, or the address of one. */
  readonly has_postgres: boolean;
  readonly python: PythonOfMachine;
}

export interface PlatformFacts {
  readonly url: string;
  readonly is_local: boolean;
  readonly state: 'ready' | 'starting' | 'away' | 'another program';
  readonly warnings: readonly string[];
  /** The platform's clock compared with ours. */
  readonly clock_skew_s: number | undefined;
  /** The result of verifying the key. */
  readonly key: 'none' | 'refused' | 'unknown' | { readonly scopes: readonly string[] };
  readonly listeners: readonly {
    readonly compute_id: string;
    readonly isolation: string | null;
    readonly resource_limits: string | null;
    readonly is_alive: boolean;
  }[];
}

export interface ProjectFacts {
  readonly folder: string;
  readonly config_path: string;
  readonly config: GraphConfig | { readonly refused: string; readonly hint: string | undefined };
  readonly missing_graphs: readonly string[];
  readonly has_manifest: boolean;
  readonly python: PythonFiles;
  /** From package.json. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly package_manager: string | undefined;
  readonly lock_files: readonly string[];
  readonly missing_env_file: string | undefined;
  readonly reserved_variables: readonly string[];
  readonly source_bytes: number;
  readonly has_ignore_file: boolean;
}

export interface Facts {
  readonly machine: MachineFacts;
  readonly platform: PlatformFacts;
  /** Undefined where the folder is no project. */
  readonly project: ProjectFacts | undefined;
}

export function findingsOf({ machine, platform, project }: Facts): Finding[] {
  const about = (what: Finding['about'], found: readonly FindingDetails[]) =>
    found.map((one) => ({ ...one, about: what }));
  return [
    ...about('machine', ofMachine(machine)),
    ...about('platform', ofPlatform(platform)),
    ...about('project', project === undefined ? [] : ofProject(project, machine)),
  ];
}

const GB = 1_073_741_824;
const MB = 1_048_576;
const gigabytes = (bytes: number) => `${(bytes / GB).toFixed(1)} GB`;

function ofMachine(facts: MachineFacts): FindingDetails[] {
  const { data_folder, missing_programs: missing } = facts;
  const { path, mode, is_own, free_bytes } = data_folder;
  return [
    Number.parseInt(facts.node_version, 10) >= 24
      ? fine(`Node ${facts.node_version}`)
      : wrong(
          `Node ${facts.node_version} runs this; 24 is needed.`,
          'Install again with scripts allowed, so that npm brings it.',
        ),
    ...missing.map((name) =>
      warning(
        `${name} is not installed, so deployments from git ${name === 'ssh' ? 'by ssh ' : ''}fail.`,
        `Install ${name}.`,
      ),
    ),
    ...(facts.is_root
      ? [
          warning(
            'This runs as root; code of users runs as another user, but the platform need not be root.',
            'Run it as an ordinary user.',
          ),
        ]
      : []),
    facts.has_postgres
      ? fine('There is a PostgreSQL to start, or the address of one')
      : wrong(
          'The PostgreSQL that comes with Roadstead is not there for this system.',
          'Set DATABASE_URL, or install again without --omit=optional.',
        ),
    facts.no_namespaces === null
      ? fine('Agents can be kept apart from this machine (isolation: namespace)')
      : warning(
          `Agents can't be kept apart from this machine: ${facts.no_namespaces}.`,
          'Deploy only code that you trust, or allow namespaces: docs/run-as-a-service.md says how.',
        ),
    mode === undefined || is_own
      ? fine(`The data folder is ${path}${mode === undefined ? ', which is not there yet' : ''}`)
      : wrong(
          `The data folder ${path} belongs to another user.`,
          'Run as that user, or set ROADSTEAD_DATA_DIR.',
        ),
    ...(mode !== undefined && (mode & 0o077) !== 0
      ? [wrong(`Other users can enter the data folder ${path}, where keys lie.`, `chmod 700 ${path}`)]
      : []),
    free_bytes < GB
      ? wrong(
          `The disk of the data folder has ${gigabytes(free_bytes)} left.`,
          'Free some: builds need more, and traces are refused below 5 %.',
        )
      : fine(`${gigabytes(free_bytes)} are free for data`),
    pythonOfMachine(facts.python),
  ];
}

const AWAY_FIX = {
  local: 'Start it with `roadstead up`.',
  remote: 'Is it running, and is the address right?',
};
const MAX_SKEW_S = 30;

function ofPlatform(facts: PlatformFacts): FindingDetails[] {
  const { url, is_local, state, key, clock_skew_s: skew = 0 } = facts;
  if (state === 'another program')
    return [wrong(`Another program answers at ${url}.`, 'Stop it, or choose another PORT for Roadstead.')];
  if (state === 'away')
    return [wrong(`No Roadstead answers at ${url}.`, AWAY_FIX[is_local ? 'local' : 'remote'])];
  return [
    state === 'ready'
      ? fine(`Roadstead answers at ${url}`)
      : wrong(
          `Roadstead at ${url} is not ready.`,
          'It may be starting; the log in the data folder says more.',
        ),
    ...facts.warnings.map((one) => warning(one, 'It is the platform that says so, at /ok.')),
    ...(Math.abs(skew) > MAX_SKEW_S
      ? [
          wrong(
            `The clocks of this machine and of the platform differ by ${Math.abs(Math.round(skew))} s.`,
            'Let both be set by NTP: signed addresses and tokens end by the clock.',
          ),
        ]
      : []),
    ...ofKey(key),
    ...facts.listeners
      .filter(({ is_alive }) => !is_alive)
      .map(({ compute_id }) =>
        wrong(
          `The listener ${compute_id} has not been heard of: its deployments can't change.`,
          'Start it again, or delete it.',
        ),
      ),
    ...facts.listeners
      .filter(({ isolation }) => isolation === 'none')
      .map(({ compute_id }) =>
        warning(
          `The listener ${compute_id} runs agents as its own user (isolation: none).`,
          'Deploy only code that you trust.',
        ),
      ),
    ...facts.listeners
      .filter(({ resource_limits: limits }) => limits === 'none')
      .map(({ compute_id }) =>
        warning(
          `The listener ${compute_id} can't limit memory and processors of agents.`,
          'Bound the whole by systemd or by a container.',
        ),
      ),
  ];
}

function ofKey(key: PlatformFacts['key']): FindingDetails[] {
  if (key === 'none')
    return [wrong('There is no API key.', '`roadstead login URL`, or set ROADSTEAD_API_KEY.')];
  if (key === 'refused')
    return [
      wrong('The API key is not valid there.', 'Ask for another one: `roadstead key create` makes one.'),
    ];
  if (key === 'unknown') return [];
  const { scopes } = key;
  return scopes.some((one) => ['admin', 'deployments:write', 'deployments:admin'].includes(one))
    ? [fine(`The API key may deploy (${scopes.join(', ')})`)]
    : [
        warning(
          `The API key may not deploy (${scopes.join(', ')}).`,
          'Use one with the scope deployments:write.',
        ),
      ];
}

const LARGE_BYTES = 50 * MB;
const MAX_BYTES = 200 * MB;

function ofProject(facts: ProjectFacts, machine: MachineFacts): FindingDetails[] {
  const { folder, config_path, config } = facts;
  const bytes = facts.source_bytes;
  const languages: readonly Language[] = 'refused' in config ? ['javascript'] : languagesOf(config);
  return [
    ...('refused' in config
      ? [wrong(config.refused, config.hint ?? `Mend ${config_path}.`)]
      : [
          fine(`${config_path} names ${Object.keys(config.graphs).join(', ')}`),
          ...config.warnings.map((one) => warning(one, 'Nothing has to be done where that is meant.')),
        ]),
    ...facts.missing_graphs.map((path) =>
      wrong(`${config_path} names ${path}, which is not there.`, 'Mend the path.'),
    ),
    ...(languages.includes('javascript') ? ofPackages(facts) : []),
    ...(languages.includes('python') && !('refused' in config)
      ? ofPython(facts.python, { wanted: config.python?.python_version, machine: machine.python })
      : []),
    ...(facts.missing_env_file === undefined
      ? []
      : [
          warning(
            `${config_path} names the env file ${facts.missing_env_file}, which is not there.`,
            'Make it, or set the variables with `roadstead env set`.',
          ),
        ]),
    ...(facts.reserved_variables.length === 0
      ? []
      : [
          warning(
            `${facts.reserved_variables.join(', ')} of the env file are left out: the platform sets them itself.`,
            'Remove them.',
          ),
        ]),
    ...(bytes > MAX_BYTES
      ? [
          wrong(
            `The source in ${folder} has ${Math.round(bytes / MB)} MB; packed, 200 are allowed.`,
            'Name what is not needed in .dockerignore or .gitignore.',
          ),
        ]
      : []),
    ...(bytes > LARGE_BYTES && bytes <= MAX_BYTES
      ? [
          warning(
            `The source in ${folder} has ${Math.round(bytes / MB)} MB, which each deploy sends.`,
            `Name what is not needed in .dockerignore${facts.has_ignore_file ? '' : ', which is not there yet'}.`,
          ),
        ]
      : []),
  ];
}

/** The oldest version whose checkpoints this engine accepts unchanged. */
const OLD = /^[\^~=v]*0\.[0-2](\.|$)/;

function ofPackages({
  has_manifest,
  dependencies,
  lock_files,
  package_manager,
}: ProjectFacts): FindingDetails[] {
  if (!has_manifest)
    return [
      wrong(
        'There is no package.json, so nothing is installed.',
        'Make one that names @langchain/langgraph.',
      ),
    ];
  const version = dependencies['@langchain/langgraph'];
  return [
    ...(version === undefined
      ? [
          warning(
            'package.json does not name @langchain/langgraph.',
            'Add it, unless the graphs come another way.',
          ),
        ]
      : OLD.test(version)
        ? [
            warning(
              `@langchain/langgraph ${version} is old.`,
              'Version 1 is what the examples are tested with.',
            ),
          ]
        : [fine(`@langchain/langgraph ${version}`)]),
    ...(lock_files.length === 0
      ? [
          warning(
            'There is no lock file, so each build may install other versions.',
            'Commit the one of your package manager.',
          ),
        ]
      : []),
    ...(lock_files.length > 1 && package_manager === undefined
      ? [
          warning(
            `There are several lock files (${lock_files.join(', ')}).`,
            'Keep one, or name the package manager in package.json.',
          ),
        ]
      : []),
  ];
}
