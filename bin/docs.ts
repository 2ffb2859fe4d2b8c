import { existsSync } from 'node:fs';
import { glob, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import {
  Access,
  acceptedAccess,
  type Contract,
  includes,
  openapiOf,
  Scope,
} from '../packages/contracts/src/index.ts';
import { services } from '../packages/contracts/src/services/index.ts';
import { backupSettings } from '../packages/cli/src/backups/backup-settings.ts';
import { contextSettings } from '../packages/cli/src/target/contexts.ts';
import { targetSettings } from '../packages/cli/src/target/target.ts';
import { commands } from '../packages/cli/src/commands/commands.ts';
import { type Command, formsOf, labelOf } from '../packages/cli/src/command-line/command.ts';
import { mcpSettings } from '../packages/cli/src/commands/mcp.ts';
import { edgeProgram } from '../packages/cli/src/platform/edge-program.ts';
import { platformSettings } from '../packages/cli/src/platform/platform-config.ts';
import { controlPlaneProgram } from '../packages/control-plane/src/index.ts';
import { dataPlaneSettings } from '../packages/data-plane/src/data-plane-config.ts';
import { identityProgram } from '../packages/identity/src/index.ts';
import type { Setting, Settings } from '../packages/kit/src/index.ts';
import { mcpServerProgram, type Tool, toolsets } from '../packages/mcp-server/src/index.ts';
import { observabilityProgram } from '../packages/observability/src/index.ts';
import { processSettings } from '../packages/service/src/index.ts';
import { decisionIndex, readDecision } from './docs/decision-rules.ts';
import { drawFloors } from './docs/floor-picture.ts';
import { frameShapes, frameShapesJson, hostProtocolFiles } from './docs/host-protocol.ts';
import { writeJsonLines } from './docs/json-lines.ts';
import { anchorsOf, isLocal, linksOf, rowsBelow } from './docs/markdown-rules.ts';
import { fieldsOfDeployments } from './field-docs.ts';
import { folderImports } from './house/floor-rules.ts';
import { readSources } from './house/source-file.ts';

/** Writes what is generated into `docs/`; with `--check` it only says whether it is up to date. Both look for links to nowhere. */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const docs = join(root, 'docs');

const programs: readonly { readonly name: string; readonly settings: Settings }[] = [
  identityProgram,
  controlPlaneProgram,
  observabilityProgram,
  mcpServerProgram,
  edgeProgram,
];

const generated = new Map<string, string>([
  ...Object.entries(services).map(([name, contract]): [string, string] => [
    `openapi/${name}.json`,
    `${writeJsonLines(openapiOf(name, contract), 3)}\n`,
  ]),
  ['configuration.md', configuration()],
  ['command-line.md', commandLine()],
  ['scopes.md', scopes()],
  ['tools.md', tools()],
  ['fields.md', fieldsOfDeployments()],
  ['decisions/README.md', await decisions()],
  ...[...hostProtocolFiles()].map(([name, text]): [string, string] => [`host-protocol/${name}`, text]),
  ['../packages/contracts/src/host/frame-shapes.ts', frameShapes()],
  ['../packages/graph-host-python/src/roadstead_host/channel/frame-shapes.json', frameShapesJson()],
  ...(await floorPictures()),
]);

/** The index of decisions, from the first lines of each. */
async function decisions(): Promise<string> {
  const folder = join(docs, 'decisions');
  const names = await Array.fromAsync(glob('*.md', { cwd: folder }));
  const files = names.filter((name) => name !== 'README.md').sort();
  return decisionIndex(
    await Promise.all(
      files.map(async (file) => readDecision(file, await readFile(join(folder, file), 'utf8'))),
    ),
  );
}

/** A picture of each package that names its floors. */
async function floorPictures(): Promise<[string, string][]> {
  const sources = Map.groupBy(
    readSources(root).filter(({ is_test }) => !is_test),
    (file) => file.package,
  );
  const pictures: [string, string][] = [];
  for await (const file of glob('packages/*/floors.json', { cwd: root })) {
    const name = basename(dirname(file));
    const floors = z.array(z.string()).parse(JSON.parse(await readFile(join(root, file), 'utf8')));
    const imports = folderImports(sources.get(name) ?? []);
    pictures.push([`pictures/floors-${name}.svg`, drawFloors({ name, floors, imports })]);
  }
  return pictures;
}

/** Links of documents to files and headings that are not there, a sentence each. */
async function brokenLinks(): Promise<string[]> {
  const documents = await Array.fromAsync(glob(['*.md', 'docs/**/*.md'], { cwd: root }));
  const texts = new Map(
    await Promise.all(
      documents.map(async (name) => [name, await readFile(join(root, name), 'utf8')] as const),
    ),
  );
  const leadsNowhere = (from: string, link: string) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? from : relative(root, join(root, dirname(from), path));
    const text = texts.get(target);
    if (text === undefined) return !existsSync(join(root, target));
    return anchor !== undefined && !anchorsOf(text).has(anchor);
  };
  return [...texts].flatMap(([name, text]) =>
    linksOf(text)
      .filter((link) => isLocal(link) && leadsNowhere(name, link))
      .map((link) => `${name} links to ${link}, which is not there`),
  );
}

/** Packages that are missing in the table of ARCHITECTURE.md, or stand there and are gone, a sentence each. */
async function strayPackages(): Promise<string[]> {
  const text = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8');
  const { workspaces } = z
    .object({ workspaces: z.array(z.string()) })
    .parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  const packages = workspaces.map((folder) => folder.replace('packages/', ''));
  const listed = rowsBelow(text, '## Packages');
  return [
    ...packages
      .filter((name) => !listed.includes(name))
      .map((name) => `ARCHITECTURE.md does not list the package ${name}`),
    ...listed
      .filter((name) => !packages.includes(name))
      .map((name) => `ARCHITECTURE.md lists the package ${name}, which is gone`),
  ];
}

/** Folders of a package that its `floors.json` does not name, or names and are gone, a sentence each. */
async function strayFloors(): Promise<string[]> {
  const stray: string[] = [];
  for await (const file of glob('packages/*/floors.json', { cwd: root })) {
    const named = z.array(z.string()).parse(JSON.parse(await readFile(join(root, file), 'utf8')));
    const src = join(root, dirname(file), 'src');
    const folders = (await readdir(src, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory() && entry.name !== 'testing')
      .map(({ name }) => name);
    for (const name of folders)
      if (!named.includes(name)) stray.push(`${file} does not name the folder ${name}`);
    for (const name of named)
      if (name !== '.' && !folders.includes(name))
        stray.push(`${file} names the folder ${name}, which is gone`);
  }
  return stray;
}

/** Every command with its options and examples, from the data that parses them. */
function commandLine(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const section = (command: Command) => [
    `## ${command.name}`,
    '',
    command.summary,
    '',
    '```sh',
    ...formsOf(command).map((words) => ['roadstead', command.name, ...words].join(' ')),
    '```',
    '',
    ...(Object.keys(command.options).length === 0 ? [] : ['| option | meaning |', '| --- | --- |']),
    ...Object.entries(command.options).map(
      ([name, option]) => `| \`${cell(labelOf(name, option))}\` | ${cell(option.doc)} |`,
    ),
    '',
    ...command.examples.map(({ call, does }) => `- \`roadstead ${call}\`: ${does}`),
    '',
  ];
  return [
    '# Command line',
    '',
    'Every command with its options; `roadstead COMMAND --help` shows the same. Exit codes: 0, 1 for a failure, 2 for wrong usage, 130',
    'for an interruption. With `--json` the answer is one line of JSON as the API has it, on standard output, and a failure is',
    '`{"error": {"message", "status"}}` on standard error. Colours are shown on a terminal only, and not where `NO_COLOR` is set.',
    'Generated by `npm run docs`.',
    '',
    ...commands.flatMap(section),
  ].join('\n');
}

/** Which endpoints each scope opens, from the contracts. */
function scopes(): string {
  const endpoints = Object.values<Contract>(services).flatMap((contract) => Object.values(contract));
  const rows = Access.options.map((access) => {
    const asking = endpoints.filter((endpoint) => acceptedAccess(endpoint).includes(access));
    const built = asking.filter(({ refused }) => refused !== true);
    const lines = built.map(({ method, mounts, path }) => `\`${method} ${(mounts[0] ?? '') + path}\``);
    const refused = asking.length - built.length;
    const more = refused === 0 ? [] : [`${refused} refused`];
    const holders = Scope.options.filter((scope) => scope !== access && includes(scope, access));
    return `| \`${access}\` | ${[...lines, ...more].join('<br>')} | ${holders.map((one) => `\`${one}\``).join(', ')} |`;
  });
  return [
    '# Scopes',
    '',
    'Each endpoint asks for an access, `POST /mcp` for any of several. A key holds scopes: accesses, or a name for a set of',
    'them. `admin` is all but `listener`; `reader` is every `read`. The right `admin` of a resource includes its other rights;',
    '`write` does not include `read`. A 403 names the scope that is missing. A key is made with',
    '`roadstead key create NAME --scope SCOPE`, and gives away no scope that it lacks itself, nor anything that is bound to less than it is. Generated by `npm run docs`.',
    '',
    '| access | endpoints that ask for it | also in |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** Every tool of the MCP server, by toolset. */
function tools(): string {
  const inputs = ({ input_schema }: Tool) => {
    const { properties = {}, required = [] } = input_schema as { properties?: object; required?: string[] };
    return Object.keys(properties).map((name) =>
      required.includes(name) ? `**\`${name}\`**` : `\`${name}\``,
    );
  };
  const table = ([name, listed]: readonly [string, readonly Tool[]]) => [
    `## ${name}`,
    '',
    '| tool | what it does | inputs, those required in bold | needs |',
    '| --- | --- | --- | --- |',
    ...listed.map((tool) => {
      const said = tool.description.replaceAll('|', '\\|').replaceAll('\n', ' ');
      const needs = tool.access === undefined ? '' : `\`${tool.access}\``;
      return `| \`${tool.name}\` | ${said} | ${inputs(tool).join(', ')} | ${needs} |`;
    }),
    '',
  ];
  return [
    '# Tools of the MCP server',
    '',
    'A heading is a toolset. [mcp.md](mcp.md) tells how clients connect, and how toolsets are chosen. Generated by `npm run docs`.',
    '',
    ...Object.entries(toolsets).flatMap(table),
  ].join('\n');
}

function configuration(): string {
  const table = (title: string, settings: Settings) => [
    `## ${title}`,
    '',
    '| variable | default | meaning |',
    '| --- | --- | --- |',
    ...Object.values(settings).map(row),
    '',
  ];
  return [
    '# Configuration',
    '',
    'Everything has a default; variables of the environment change it. Generated by `npm run docs`.',
    '',
    ...table('Platform (`roadstead up`)', platformSettings),
    'Settings of the data plane may be set for `roadstead up` too, which hands them on; those that name sockets, addresses and keys it sets itself.',
    '',
    ...table('Data plane', dataPlaneSettings),
    '## Services started alone',
    '',
    'Each reads the settings of every process, and its own; [decision 0015](decisions/0015-services-apart.md) tells how they fit together.',
    '',
    ...table('Every process', processSettings),
    ...programs.flatMap(({ name, settings }) => table(`\`roadstead serve ${name}\``, settings)),
    ...table('Command line', { ...targetSettings, ...contextSettings }),
    ...table('`roadstead backup`', backupSettings),
    ...table('`roadstead mcp`', mcpSettings),
  ].join('\n');
}

function row(setting: Setting): string {
  const { default: fallback } = z.toJSONSchema(setting.schema, { io: 'input', unrepresentable: 'any' });
  const shown =
    setting.shown_default ??
    (fallback === undefined || fallback === '' ? '' : `\`${JSON.stringify(fallback).replaceAll('"', '')}\``);
  const names = [setting.env, ...(setting.aliases ?? [])].map((name) => `\`${name}\``).join(', ');
  return `| ${names} | ${shown} | ${setting.doc}${setting.secret === true ? ` Taken out of the environment once read; \`${setting.env}_FILE\` may name a file instead.` : ''} |`;
}

const stale: string[] = [];
for (const [name, text] of generated) {
  const path = join(docs, name);
  if ((await readFile(path, 'utf8').catch(() => '')) === text) continue;
  stale.push(name);
  if (process.argv.includes('--check')) continue;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
if (stale.length > 0 && process.argv.includes('--check')) {
  process.stderr.write(`docs are out of date: ${stale.join(', ')}; run npm run docs\n`);
  process.exitCode = 1;
}
const wrong = [...(await brokenLinks()), ...(await strayPackages()), ...(await strayFloors())];
if (wrong.length > 0) {
  process.stderr.write(`${wrong.join('\n')}\n`);
  process.exitCode = 1;
}
