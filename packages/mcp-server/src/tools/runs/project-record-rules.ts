/**
 * The first deployment id in a project's record: creators of a project for a deployment write it somewhere into the
 * record.
 */
function deploymentIn(record: unknown, depth = 0): string | undefined {
  if (typeof record !== 'object' || record === null || depth > 6) return undefined;
  const { deployment_id } = record as { deployment_id?: unknown };
  if (typeof deployment_id === 'string' && deployment_id !== '') return deployment_id;
  for (const inner of Object.values(record)) {
    const found = deploymentIn(inner, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A member for the answer, where there is a deployment. */
export function agentDeployment(record: unknown): { readonly agent_deployment_id?: string } {
  const agent_deployment_id = deploymentIn(record);
  return agent_deployment_id === undefined ? {} : { agent_deployment_id };
}
