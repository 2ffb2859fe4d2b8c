import { type Command, formsOf, isLiteral, type Lookup, type Option } from './command.ts';

/** The candidates for the last of the words after `roadstead`: literal words, and names to look up. */
export interface Candidates {
  readonly words: readonly string[];
  readonly lookups: readonly Lookup[];
}

const NONE: Candidates = { words: [], lookups: [] };

export function candidatesFor(words: readonly string[], commands: readonly Command[]): Candidates {
  const [name = '', ...rest] = words;
  if (rest.length === 0) return { words: [...commands.map((one) => one.name), 'help'], lookups: [] };
  if (name === 'help') return { words: commands.map((one) => one.name), lookups: [] };
  const command = commands.find((one) => one.name === name);
  return command === undefined ? NONE : within(command, rest);
}

function within(command: Command, words: readonly string[]): Candidates {
  const { before, option } = readBefore(command, words.slice(0, -1));
  if (option !== undefined) return of(option.completes);
  if ((words.at(-1) ?? '').startsWith('-')) return { words: optionsLeft(command, words), lookups: [] };
  const places = formsOf(command)
    .filter((form) => before.every((given, at) => fits(form[at] ?? lastOf(form), given)))
    .flatMap((form) => form[before.length] ?? lastOf(form) ?? []);
  const literals = places.filter(isLiteral);
  const lookups = places.flatMap((place) => command.completes?.[place] ?? []);
  return { words: [...new Set(literals)], lookups: [...new Set(lookups)] };
}

/** The operands before the last word, and the option that takes the last word as its value. */
function readBefore(command: Command, words: readonly string[]) {
  const before: string[] = [];
  let option: Command['options'][string] | undefined;
  for (const word of words) {
    const known = option;
    option = undefined;
    if (known !== undefined) continue;
    const named = word.startsWith('--') ? command.options[word.slice(2)] : undefined;
    if (named?.type === 'string') option = named;
    else if (!word.startsWith('-')) before.push(word);
  }
  return { before, option };
}

function optionsLeft(command: Command, words: readonly string[]): string[] {
  return Object.entries(command.options)
    .filter(([name, { multiple }]) => multiple === true || !words.slice(0, -1).includes(`--${name}`))
    .map(([name]) => `--${name}`);
}

/** The last word of a form, if it may be repeated. */
const lastOf = (form: readonly string[]) => form.findLast((word) => word.endsWith('…'));

const fits = (place: string | undefined, given: string) =>
  place !== undefined && (!isLiteral(place) || place === given);

function of(completes: Option['completes']): Candidates {
  if (completes === undefined) return NONE;
  return typeof completes === 'string'
    ? { words: [], lookups: [completes] }
    : { words: completes, lookups: [] };
}

/** A script for each shell, which asks this program: it knows every command. */
export const completionScripts: Readonly<Record<string, string>> = {
  bash: `_roadstead() {
  local IFS=$'\\n' word last=-1 begun=
  local -a typed
  # Bash takes a colon for the end of a word.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if ((last >= 0)) && [[ $word == :* || \${typed[last]} == *: ]]; then typed[last]+=$word
    else typed[++last]=$word; fi
  done
  COMPREPLY=($(roadstead completion words -- "\${typed[@]}" 2>/dev/null))
  if [[ $COMP_WORDBREAKS == *:* && \${typed[last]} == *:* ]]; then begun=\${typed[last]%"\${typed[last]##*:}"}; fi
  COMPREPLY=("\${COMPREPLY[@]#"$begun"}")
}
complete -o default -F _roadstead roadstead`,
  zsh: `#compdef roadstead
_roadstead() {
  local -a found
  found=(\${(f)"$(roadstead completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -- "\${found[@]}"; else _files; fi
}
compdef _roadstead roadstead`,
  fish: `function __roadstead_complete
  set -l words (commandline -opc) (commandline -ct)
  roadstead completion words -- $words[2..-1] 2>/dev/null
end
complete -c roadstead -a '(__roadstead_complete)'`,
};
