import { columnText } from '../values/column-text-rules.ts';
import { type ModelNames, modelPaths } from '../records/run-operation.ts';

const NAME_LENGTH = 200;

type Free = Readonly<Record<string, unknown>>;

/** Undefined where the run names no model. */
export function modelOf(extra: unknown): ModelNames | undefined {
  const metadata = record(record(extra)['metadata']);
  const params = record(record(extra)['invocation_params'] ?? metadata['ls_invocation_params']);
  const named = {
    provider: text(metadata['ls_provider']),
    ls_model_name: text(metadata['ls_model_name']),
    ...Object.fromEntries(modelPaths.map((path) => [path, text(params[path])])),
  };
  const said = Object.entries(named).filter(([, value]) => value !== undefined);
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? columnText(value, NAME_LENGTH) : undefined;
}

function record(value: unknown): Free {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Free) : {};
}
