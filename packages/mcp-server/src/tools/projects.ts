import { isUuidText } from './uuid.ts';
import type { Client, Observability } from '@roadstead/contracts';
import { ToolProblem } from '../tool-problem.ts';

/** The ids of projects, by name or id. */
export async function projectIds(api: Client<Observability>, names: readonly string[]): Promise<string[]> {
  return Promise.all(
    names.map(async (name) => {
      if (isUuidText(name)) return name;
      const [found] = await api.listSessions({ query: { name, limit: 1 } });
      if (found === undefined)
        throw new ToolProblem(
          'not_found',
          `There is no project named ${JSON.stringify(name)}.`,
          'Call list_projects to see the names.',
        );
      return found.id;
    }),
  );
}
