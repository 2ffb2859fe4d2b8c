import { type Access, allows, type Principal } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import type { Tool } from './tool.ts';

/** Decides which tools a caller gets: by toolset, and by what the caller’s credential may do. */

export type Toolsets = Readonly<Record<string, readonly Tool[]>>;

/** The header of a request with names of toolsets, `all` or `default`, separated by commas. */
export const TOOLSETS_HEADER = 'x-mcp-toolsets';

/** The beginning of an OAuth caller's actor, whose scopes somebody chose. */
const OAUTH_ACTOR = 'oauth:';

export interface ToolsetChoice {
  /** The caller's choice; the default when absent or blank. */
  readonly asked?: string | undefined;
  /** The operator's offer; everything when absent. It is also the default, where it is given. */
  readonly offered?: readonly string[] | undefined;
  /** The caller; absent where only the API can judge the credential. */
  readonly caller?: Pick<Principal, 'actor' | 'scopes'> | undefined;
}

/**
 * The tools to serve, in the order of the toolsets.
 * @throws Problem `invalid` for a name that is no toolset, or one that isn’t offered
 */
export function selectTools(toolsets: Toolsets, { asked, offered, caller }: ToolsetChoice): readonly Tool[] {
  const within = offered ?? Object.keys(toolsets);
  const names = readToolsets(toolsets, { text: asked ?? '', offered: within });
  const usual = offered ?? defaultToolsets(toolsets);
  const chosen = new Set(names.length > 0 ? names : usual);
  const isGranted = ({ access, effect }: Tool) =>
    effect === 'acts' && caller?.actor.startsWith(OAUTH_ACTOR) === true && mayUse(caller, access);
  return within.flatMap((name) => {
    const tools = toolsets[name] ?? [];
    if (chosen.has(name)) return tools.filter(({ access }) => mayUse(caller, access));
    // A user who ticked a scope that writes has asked for its tools thereby.
    return names.length > 0 ? [] : tools.filter(isGranted);
  });
}

/**
 * Toolsets by their names; none for a blank text.
 * @throws Problem `invalid` that lists the unknown names, and the existing ones
 */
export function readToolsets(
  toolsets: Toolsets,
  { text, offered = Object.keys(toolsets) }: { readonly text: string; readonly offered?: readonly string[] },
): readonly string[] {
  const names = text
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  const chosen = new Set(names.flatMap((name) => namedBy(name, { toolsets, offered })));
  return offered.filter((name) => chosen.has(name));
}

/** All toolsets but those with tools that act. */
export function defaultToolsets(toolsets: Toolsets): readonly string[] {
  return Object.entries(toolsets).flatMap(([name, tools]) =>
    tools.some(({ effect }) => effect === 'acts') ? [] : [name],
  );
}

const LONGEST_NAME = 40;

function namedBy(
  name: string,
  { toolsets, offered }: { readonly toolsets: Toolsets; readonly offered: readonly string[] },
): readonly string[] {
  if (name === 'all') return offered;
  if (name === 'default') return defaultToolsets(toolsets);
  if (offered.includes(name)) return [name];
  const said = name.slice(0, LONGEST_NAME);
  throw new Problem(
    'invalid',
    `${said} is no toolset of this server: ${[...offered, 'all', 'default'].join(', ')} are.`,
  );
}

function mayUse(caller: ToolsetChoice['caller'], access: Access | undefined): boolean {
  return caller === undefined || access === undefined || allows(caller.scopes, [access]);
}
