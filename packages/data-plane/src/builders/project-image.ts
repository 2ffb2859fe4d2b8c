import {
  bakedVariables,
  folderOf,
  ImageSettings,
  languagesOf,
  SERVED_MINORS,
} from '@roadstead/contracts/langgraph-json';
import { type BuildFacts, type BuildSteps, planBuild } from './build-plan.ts';
import { dockerQuotedJson, dockerWord, isOneLine } from './dockerfile-rules.ts';
import { packageOf, variablesOf } from './package-manager-rules.ts';
import { imagePython } from './python-of-image.ts';
import { pathsOf } from './python-plan.ts';
import { takesMinor } from './python-range-rules.ts';
import { type PythonFacts, type PythonSources, sourcesOf } from './python-sources.ts';

/** Plans the image of a project, with its graphs and their packages in it. Pure. */

export interface ProjectImageFacts extends BuildFacts {
  /** What `langgraph.json` says. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The name of the project's folder. */
  readonly name: string;
  /** Used in place of the base that the project names. */
  readonly base_image: string | undefined;
}

export type ProjectImage =
  | { readonly kind: 'dockerfile'; readonly text: string; readonly warnings: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string; readonly hint?: string };

/** The Debian of the bases, so that builds of later years find the same libraries. */
const DISTRO = 'bookworm';
/** The Node that graph hosts run on; packages with programs in them are installed for it. */
const NODE_IMAGE = `node:24-${DISTRO}-slim`;
/** Where the original has projects in its images. */
const PLACE = '/deps';

export function projectImage(facts: ProjectImageFacts): ProjectImage {
  const { graph_config, json, python } = facts;
  if (graph_config.kind === 'refused') return graph_config;
  const { config } = graph_config;
  const parsed = ImageSettings.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refused(`${config.config_path}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is wrong'}.`);
  }
  const settings = parsed.data;
  const broken = brokenField({ ...facts, settings });
  if (broken !== undefined) return refused(`${broken} must be one line, without what ends it.`);
  // An install command of the user's is about packages of JavaScript, as in the original.
  const javascript = planBuild({ ...facts, python: undefined });
  if (javascript.kind === 'refused') return javascript;
  const sources = python === undefined ? undefined : sourcesOf(python);
  if (sources?.kind === 'refused') return sources;
  const folders = [folderOf(config.config_path), ...javascript.steps.map(({ folder }) => folder)];
  const modules = python === undefined || sources === undefined ? [] : pathsOf(python, sources);
  const unnamed = brokenFolder(folders, modules);
  if (unnamed !== undefined) return refused(unnamed, 'Give it another name.');
  const languages = languagesOf(config);
  const version = python === undefined ? undefined : pythonVersion(python, sources);
  const base = baseOf({ ...facts, settings, python_version: version });
  if (typeof base !== 'string') return base;
  const root = `${PLACE}/${placeName(facts.name)}`;
  const both = languages.length > 1;
  const lines = [
    ...(both ? [`FROM ${NODE_IMAGE} AS node`, ''] : []),
    `FROM ${base}`,
    ...settings.dockerfile_lines,
    ...(both ? nodeLines : []),
    '',
    `COPY . ${root}/`,
    ...javascriptLines(javascript, root),
    ...(python === undefined || sources === undefined ? [] : imagePython({ facts: python, sources, root })),
    '',
    ...variableLines(facts),
    `WORKDIR ${dockerWord(at(root, folderOf(config.config_path)))}`,
    '',
  ];
  return {
    kind: 'dockerfile',
    text: lines.join('\n'),
    warnings: [...config.warnings, ...(sources?.warnings ?? [])],
  };
}

interface BaseFacts extends Pick<ProjectImageFacts, 'base_image'> {
  readonly settings: ImageSettings;
  /** Undefined where there is no Python. */
  readonly python_version: string | undefined;
}

/** The base, or why there is none. A name without a tag gets the one that the original would give it. */
function baseOf({
  base_image,
  settings,
  python_version,
}: BaseFacts): string | Extract<ProjectImage, { kind: 'refused' }> {
  const named = base_image ?? settings.base_image ?? undefined;
  const { image_distro } = settings;
  if (named === undefined) {
    if (image_distro === 'wolfi')
      return refused(
        'image_distro: there is no base of wolfi here that has each version of Python and Node.',
        'Name one in base_image, or leave image_distro out.',
      );
    return python_version === undefined ? NODE_IMAGE : `python:${python_version}-slim-${DISTRO}`;
  }
  const version = `${python_version ?? '24'}${image_distro === 'debian' ? '' : `-${image_distro}`}`;
  const language = python_version === undefined ? 'node' : 'py';
  if (named.includes('/langgraph-server') && !named.includes(version))
    return `${named}${isTagged(named) ? '-' : ':'}${language}${version}`;
  return isTagged(named) ? named : `${named}:${version}`;
}

const isTagged = (image: string) => image.includes('@') || /:[^/]+$/.test(image);

/** The version that is asked for, else the first that all folders take. */
function pythonVersion({ settings }: PythonFacts, sources: PythonSources | undefined): string {
  const { python_version } = settings;
  if (python_version !== undefined) return python_version;
  const required = sources?.required ?? [];
  const found = SERVED_MINORS.find((minor) => required.every((range) => takesMinor(range, minor)));
  return found ?? SERVED_MINORS[0] ?? '3.11';
}

/** Node and npm beside Python. */
const nodeLines = [
  'COPY --from=node /usr/local/bin/node /usr/local/bin/node',
  'COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules',
  'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx',
];

function javascriptLines({ managers, steps }: BuildSteps, root: string): string[] {
  const packages = managers.filter(({ name }) => name !== 'npm').map(packageOf);
  const variables = managers.map(variablesOf).flatMap((all) => Object.entries(all));
  const prefix = variables.map(([name, value]) => `${name}=${value} `).join('');
  return [
    ...(packages.length === 0 ? [] : [`RUN npm install --global --no-audit --no-fund ${packages.join(' ')}`]),
    ...steps.flatMap(({ folder, command }) => [
      `WORKDIR ${dockerWord(at(root, folder))}`,
      `RUN ${prefix}${command}`,
    ]),
  ];
}

/** What hosts read in the image in place of the file. Variables of `env` are not among them: they are the deployment's. */
function variableLines({ json }: ProjectImageFacts): string[] {
  const loader = json['node_loader'];
  return [
    ...Object.entries(bakedVariables(json)).map(([name, value]) => `ENV ${name}=${dockerQuotedJson(value)}`),
    ...(typeof loader === 'string' ? [`ENV LANGGRAPH_NODE_LOADER=${dockerWord(loader)}`] : []),
  ];
}

/** Why a folder can't be named in a Dockerfile, or among those of Python's modules. */
function brokenFolder(folders: readonly string[], modules: readonly string[]): string | undefined {
  const split = [...folders, ...modules].find((folder) => !isOneLine(folder));
  if (split !== undefined) return `The name of the folder ${JSON.stringify(split)} must be one line.`;
  const colon = modules.find((folder) => folder.includes(':'));
  return colon === undefined
    ? undefined
    : `The name of the folder ${colon} has a colon, by which Python separates folders of modules.`;
}

/** What stands in a line of the Dockerfile as it is, and must be one. */
function brokenField({
  json,
  settings,
  base_image,
}: Pick<ProjectImageFacts, 'json' | 'base_image'> & { readonly settings: ImageSettings }):
  | string
  | undefined {
  const { node_loader, pip_config_file } = json;
  const names = [base_image, settings.base_image];
  if (names.some((name) => typeof name === 'string' && /\s/.test(name))) return 'base_image';
  if (typeof node_loader === 'string' && !isOneLine(node_loader)) return 'node_loader';
  if (typeof pip_config_file === 'string' && !isOneLine(pip_config_file)) return 'pip_config_file';
  return undefined;
}

const placeName = (name: string) => name.replaceAll(/[^\w.-]+/g, '-').replace(/^[.-]+/, '') || 'project';

const at = (root: string, folder: string): string => (folder === '.' ? root : `${root}/${folder}`);

const refused = (message: string, hint?: string): Extract<ProjectImage, { kind: 'refused' }> => ({
  kind: 'refused',
  message,
  ...(hint === undefined ? {} : { hint }),
});
