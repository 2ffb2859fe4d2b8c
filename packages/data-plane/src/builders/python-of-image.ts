import { normalPath } from '@roadstead/contracts/langgraph-json';
import { UV_VERSION } from '@roadstead/uv';
import { dockerWord } from './dockerfile-rules.ts';
import { below, dotted, pathsOf, quoted } from './python-plan.ts';
import type { PythonFacts, PythonSources } from './python-sources.ts';

/** Plans how the packages of Python come into the image of a project. Pure. */

interface ImagePython {
  readonly facts: PythonFacts;
  readonly sources: PythonSources;
  /** Where the project is in the image. */
  readonly root: string;
}

/** The Python of a distribution wants to be told that its packages are ours to choose. */
const PIP = 'pip install --no-cache-dir --break-system-packages --root-user-action=ignore';
const UV = 'uv pip install --system --break-system-packages --no-cache';
/** What `pyproject.toml` names, for a pip that can't read that. */
const DECLARED =
  'python3 -c \'import sys, tomllib; print(*tomllib.load(open(sys.argv[1], "rb"))["project"].get("dependencies", []), sep="\\n")\'';

/** The lines of a Dockerfile, from the project's root on. */
export function imagePython({ facts, sources, root }: ImagePython): string[] {
  const { settings, config_folder } = facts;
  const { folders, requirements } = sources;
  const locked = folders.flatMap(({ is }) => (is.kind === 'locked' ? [is] : []));
  const others = folders.filter(({ is }) => is.kind !== 'locked' && is.kind !== 'bare');
  const config_file = settings.pip_config_file;
  // What a pip.conf says, pip alone understands.
  const isPip =
    settings.pip_installer === 'pip' || (config_file !== undefined && settings.pip_installer !== 'uv');
  const prefix =
    config_file === undefined
      ? ''
      : `PIP_CONFIG_FILE=${quoted(`${root}/${normalPath(config_folder, config_file)}`)} `;
  const parts = others.map(({ place: { folder }, is }) => {
    if (is.kind === 'package') return `-e ${quoted(dotted(folder))}`;
    if (is.kind === 'listed') return `-r ${quoted(below(folder, 'requirements.txt'))}`;
    return isPip ? `-r /tmp/${declaredName(folder)}` : `-r ${quoted(below(folder, 'pyproject.toml'))}`;
  });
  // The image of the original has LangGraph in it, so that a project need not name it.
  const named = [...requirements, ...(locked.length > 0 ? [] : ['langgraph'])].map(quoted);
  const declared = others.filter(({ is }) => isPip && is.kind === 'declared');
  const install = [...parts, ...named].join(' ');
  const needsUv = locked.length > 0 || (!isPip && install !== '');
  return [
    `WORKDIR ${root}`,
    ...(needsUv ? [`RUN ${prefix}${PIP} uv==${UV_VERSION}`] : []),
    ...locked.map(({ root: folder, name }) => {
      const which = name === undefined ? '--all-packages' : `--package ${quoted(name)}`;
      return `RUN cd ${quoted(folder)} && uv export --frozen --no-dev --no-header --no-annotate --quiet ${which} --output-file /tmp/locked.txt && ${UV} --no-deps -r /tmp/locked.txt && rm /tmp/locked.txt`;
    }),
    ...declared.map(
      ({ place: { folder } }) =>
        `RUN ${DECLARED} ${quoted(below(folder, 'pyproject.toml'))} > /tmp/${declaredName(folder)}`,
    ),
    ...(install === '' ? [] : [`RUN ${prefix}${isPip ? PIP : UV} ${install}`]),
    `ENV PYTHONPATH=${dockerWord(
      pathsOf(facts, sources)
        .map((folder) => (folder === '.' ? root : `${root}/${folder}`))
        .join(':'),
    )}`,
  ];
}

const declaredName = (folder: string) => `declared-${folder.replaceAll(/\W+/g, '-')}.txt`;
