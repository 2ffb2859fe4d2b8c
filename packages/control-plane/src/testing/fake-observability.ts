import { ApiError, type Client } from '@roadstead/contracts';
import type { ObservabilityContract, TracerSession } from '@roadstead/contracts/observability';
import { uuidv7 } from '@roadstead/kit';

/** The few operations of observability that the control plane calls, over names in memory. */
export interface FakeObservability {
  readonly clientOf: (workspace_id: string) => Client<ObservabilityContract>;
  readonly projects: Map<string, TracerSession>;
  /** While true it does not answer. */
  is_away: boolean;
}

export function fakeObservability(): FakeObservability {
  const projects = new Map<string, TracerSession>();
  const fake: FakeObservability = {
    projects,
    is_away: false,
    clientOf: (tenant_id) => {
      const operations: Pick<Client<ObservabilityContract>, 'createSession' | 'deleteSession'> = {
        createSession: async ({ body = {}, query }) => {
          if (fake.is_away) throw new ApiError('away', { status: 0 });
          const key = `${tenant_id}/${body.name}`;
          const found = projects.get(key);
          if (found !== undefined && String(query?.upsert) !== 'true')
            throw new ApiError('taken', { status: 409 });
          const project = found ?? {
            id: uuidv7(),
            tenant_id,
            name: body.name ?? '',
            start_time: new Date().toISOString(),
            extra: body.extra,
            reference_dataset_id: body.reference_dataset_id ?? null,
          };
          projects.set(key, project);
          return project;
        },
        deleteSession: async ({ params }) => {
          if (fake.is_away) throw new ApiError('away', { status: 503 });
          const found = [...projects].find(([, project]) => project.id === params.session_id);
          if (found === undefined) throw new ApiError('gone', { status: 404 });
          projects.delete(found[0]);
          return { message: 'deleted' };
        },
      };
      return operations as Client<ObservabilityContract>;
    },
  };
  return fake;
}
