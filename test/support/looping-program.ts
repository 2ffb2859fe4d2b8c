import { loopInRounds } from '@roadstead/testing/processes';
import { Evaluators } from '../../packages/mcp-server/src/evaluators/evaluators.ts';
import { SchemaChecker } from '../../packages/observability/src/schemas/schema-checker.ts';

/** A process whose threads of one kind loop for ever. */

export interface Loops {
  readonly kind: keyof typeof opened;
  readonly rounds: number;
}

const opened = {
  schemas: () => {
    const thread = new SchemaChecker();
    const schemas = { workspace_id: 'any', inputs_schema_definition: { type: 'object' } };
    return { thread, ask: () => thread.requireSchemas(schemas) };
  },
  evaluators: () => {
    const thread = new Evaluators({ codes: { any: '() => 1' } });
    return { thread, ask: () => thread.check() };
  },
};

const { kind, rounds } = JSON.parse(process.argv[2] ?? '{}') as Loops;
await loopInRounds(rounds, opened[kind]);
