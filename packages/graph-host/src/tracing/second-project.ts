import type { RunParams } from '@roadstead/contracts/host';
import { importAsUser } from '../modules/user-modules.ts';

/** Where traces go, as the tracing client finds it; read before user code may change it. */
const { LANGSMITH_TRACING: tracing, LANGSMITH_PROJECT: own_project } = process.env;

type Replica = readonly [project: string, changes: object | undefined];
type Tracer = new (fields: { readonly replicas: readonly Replica[] }) => object;

/**
 * Makes the tracer that traces a run to the project that its request names and to the deployment's own: the user's tracer
 * of LangChain. In the named project runs have ids of their own. Undefined where none is named, nothing is traced, or there is no such
 * tracer, which ends no run.
 * @param from a file of the project's packages.
 */
export async function tracerToBoth({
  traced_to,
  run_id,
  from,
}: Pick<RunParams, 'traced_to' | 'run_id'> & { readonly from: string }): Promise<object | undefined> {
  if (traced_to === undefined || tracing !== 'true' || !own_project) return undefined;
  const { project_name, example_id } = traced_to;
  if (project_name === own_project && example_id === undefined) return undefined;
  const changes = example_id === undefined ? undefined : { reference_example_id: example_id };
  const named: Replica = [project_name, changes];
  try {
    const { LangChainTracer } = await importAsUser<{ readonly LangChainTracer: Tracer }>(
      '@langchain/core/tracers/tracer_langchain',
      from,
    );
    return new LangChainTracer({
      replicas: project_name === own_project ? [named] : [named, [own_project, undefined]],
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`Run ${run_id} is traced to the deployment's project alone: ${why}\n`);
    return undefined;
  }
}
