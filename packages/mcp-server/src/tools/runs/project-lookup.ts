import type { TracerSession } from '@roadstead/contracts/observability';
import { Problem } from '@roadstead/kit';
import { findByIdOrName } from '../name-lookup.ts';
import { unexpectedAnswer } from '../tool-error.ts';
import type { ReadContext } from '../tool.ts';

/**
 * The ids of projects that are given by name or id.
 * @throws Problem `not_found` for the first that doesn't exist
 */
export async function findProjectIds(
  given: readonly string[],
  { input = 'project_name', ...context }: ReadContext & { readonly input?: string },
): Promise<[string, ...string[]]> {
  const found = await Promise.all(
    given.map(async (name, at) => {
      const id = await findProjectId(name, context);
      if (id === undefined) throw noSuchProject(given.length === 1 ? input : `${input}[${at}]`);
      return id;
    }),
  );
  const [first, ...others] = [...new Set(found)];
  if (first === undefined) throw new Problem('invalid', `${input} names no project.`);
  return [first, ...others];
}

async function findProjectId(given: string, { api, signal }: ReadContext): Promise<string | undefined> {
  const project = await findByIdOrName(given, {
    byId: async (id) => projectsIn(await api.listSessions({ query: { id, limit: 1 }, signal })),
    byName: async (name) => projectsIn(await api.listSessions({ query: { name, limit: 1 }, signal })),
  });
  return project?.id;
}

function noSuchProject(input: string): Problem {
  return new Problem('not_found', `No project has the name or id in ${input}.`, {
    hint: 'Call list_projects, with project_name for a part of the name, to see the projects there are.',
  });
}

/** The projects in an answer of the API, from any server. */
function projectsIn(answer: unknown): TracerSession[] {
  if (!Array.isArray(answer)) throw unexpectedAnswer();
  return answer as TracerSession[];
}
