import type { A2aOptions } from './a2a-options.ts';
import type { ServedAssistant } from '../engine/served-revision.ts';

/** The part `a2a` of an assistant's metadata, in the form that the contract allows. Pure. */
export interface AssistantWords {
  /** Media types that its card shows in place of its graph's. */
  readonly input_modes?: readonly string[];
  readonly output_modes?: readonly string[];
  /** Whether it sends user interfaces. */
  readonly a2ui?: boolean;
}

/** Whether an assistant sends user interfaces: its own metadata decide, else the deployment's setting. */
export function sendsA2ui(
  { environment }: Pick<A2aOptions, 'environment'>,
  assistant: Pick<ServedAssistant, 'settings'>,
): boolean {
  const { a2ui } = assistantWords(assistant);
  return a2ui ?? /^(?:true|1)$/i.test(environment()['A2A_A2UI_ENABLED'] ?? '');
}

export function assistantWords({ settings }: Pick<ServedAssistant, 'settings'>): AssistantWords {
  const said = settings?.metadata['a2a'];
  if (typeof said !== 'object' || said === null) return {};
  const { input_modes, output_modes, a2ui } = said as Readonly<Record<string, unknown>>;
  return {
    ...(isModes(input_modes) ? { input_modes } : {}),
    ...(isModes(output_modes) ? { output_modes } : {}),
    ...(typeof a2ui === 'boolean' ? { a2ui } : {}),
  };
}

const isModes = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one !== '');
