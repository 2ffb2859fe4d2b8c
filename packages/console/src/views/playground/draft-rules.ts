import { type PromptEntry, type PromptFormat, variablesOf } from '../../words/prompt-rules.ts';
import { type ParametersForm, parametersOf, valuesOf } from './parameter-rules.ts';

/** What somebody tries, as the API takes it. */

export interface Draft {
  readonly entries: readonly PromptEntry[];
  readonly format: PromptFormat;
  /** What is typed for each variable. */
  readonly texts: Readonly<Record<string, string>>;
  readonly form: ParametersForm;
}

/** The commit that the messages are of. */
export interface PromptSource {
  readonly prompt: string;
  readonly hash: string;
  readonly manifest: unknown;
  /** The latest commit as it was read. */
  readonly latest: string | null;
}

/** Whether messages are others than those that they began as, which are read again and again. */
export const areChanged = (entries: Draft['entries'], from: Draft['entries']): boolean =>
  JSON.stringify(entries) !== JSON.stringify(from);

interface AskedOptions {
  readonly of: PromptSource | undefined;
  readonly isChanged: boolean;
}

/** A commit as it is goes by its name, so that its runs lead back to it; messages that were changed go as they are. */
export function askedOf({ entries, format, form }: Draft, { of, isChanged }: AskedOptions): object {
  const parameters = parametersOf(form);
  if (of !== undefined && !isChanged) return { prompt: { name: of.prompt, commit: of.hash }, parameters };
  return {
    messages: entries.flatMap((entry) =>
      entry.kind === 'message' ? [{ role: entry.role, content: entry.text }] : [],
    ),
    template_format: format,
    parameters,
  };
}

/** @throws Error a sentence for a variable that must be JSON and is not. */
export const variablesIn = ({ entries, format, texts }: Draft): object =>
  valuesOf(variablesOf(entries, format), texts);

/** Why a draft can't be asked; undefined where it can. */
export function unaskable({ entries }: Draft, { of, isChanged }: AskedOptions): string | undefined {
  if (entries.length === 0) return 'Write a message first.';
  if (entries.every((entry) => entry.kind === 'message' && entry.text.trim() === ''))
    return 'Write a message first.';
  const isWhole = entries.every(({ kind }) => kind === 'message');
  if (!isWhole && (of === undefined || isChanged))
    return 'Save the messages as a commit first: some are put in by variables.';
  return undefined;
}
