import { relative, resolve } from 'node:path';
import type { Template } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { safeJson } from '../terminal/safe-text.ts';
import { table } from '../terminal/table.ts';
import { type Language, languagesOf } from '@roadstead/contracts/langgraph-json';
import { readProjectConfig } from '../deployments/project-config.ts';
import { copyTemplate, listTemplates, readTemplate } from '../deployments/templates.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { answerOptions, type Command, textOf } from '../command-line/command.ts';

export const init: Command = {
  name: 'init',
  operands: '[DIR]',
  summary: 'Begin an agent in a folder, from a template. Nothing is overwritten.',
  options: {
    template: {
      type: 'string',
      value: 'NAME',
      doc: 'which one; `roadstead init --list` shows them',
      completes: 'templates',
    },
    list: { type: 'boolean', doc: 'show the templates' },
    ...answerOptions,
  },
  examples: [
    { call: 'init --list', does: 'shows the templates' },
    { call: 'init my-agent --template support-agent', does: 'in a new folder my-agent' },
    { call: 'init my-agent --template python-starter', does: 'in Python' },
  ],
  completes: { '[DIR]': 'folders' },
  run: async ({ operands: [dir], values, terminal }) => {
    const json = values['json'] === true;
    if (values['list'] === true) {
      const all = await listTemplates();
      if (json) terminal.out(safeJson(all));
      else for (const line of table(all.map((one) => [one.id, one.description]))) terminal.out(line);
      return 0;
    }
    const id = textOf(values['template']);
    if (id === undefined)
      throw new Problem(
        'invalid',
        `--template is needed, one of ${(await listTemplates()).map((one) => one.id).join(', ')}.`,
      );
    const template = await readTemplate(id);
    const folder = resolve(dir ?? id);
    const files = await copyTemplate(id, folder);
    if (json) terminal.out(safeJson({ template: id, folder, files }));
    else {
      const [language = 'javascript'] = languagesOf(await readProjectConfig(folder, 'langgraph.json'));
      for (const line of nextLines(template, { folder, install: INSTALLS[language], terminal }))
        terminal.out(line);
    }
    return 0;
  },
};

const INSTALLS: Readonly<Record<Language, string>> = {
  javascript: 'npm install',
  python: 'uv venv && uv pip install -r requirements.txt',
};

function nextLines(
  { title, variables }: Template,
  {
    folder,
    install,
    terminal,
  }: { readonly folder: string; readonly install: string; readonly terminal: Terminal },
): string[] {
  const path = relative('.', folder);
  const steps = [
    ...(path === '' ? [] : [[`cd ${path}`, '']]),
    [install, 'what it needs, for your editor'],
    ['roadstead deploy', 'builds it and serves it'],
  ];
  return [
    `${terminal.bold(title)} is in ${folder}. What comes next:`,
    ...table(steps).map((line) => `  ${line}`),
    ...(variables.length === 0 ? [] : ['', 'It can be told by variables (`roadstead env set`):']),
    ...table(
      variables.map(({ name, description, required }) => [
        name,
        `${description}${required ? ' (required)' : ''}`,
      ]),
    ).map((line) => `  ${line}`),
  ];
}
