import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isNamed } from '@roadstead/testing';

/** A `helm`, by which the chart is rendered. */
export const { ROADSTEAD_TEST_HELM: helm = '' } = process.env;
export const has_helm = isNamed('The chart is', { ROADSTEAD_TEST_HELM: helm });

const chart = fileURLToPath(new URL('../../deploy/chart', import.meta.url));

export type Values = Readonly<Record<string, unknown>>;

/** What helm says of the chart with these values, and why it refuses them. */
function run(args: readonly string[], values: Values) {
  const { stdout, stderr, status } = spawnSync(helm, [...args, '--values', '-'], {
    encoding: 'utf8',
    input: JSON.stringify(values),
    maxBuffer: 16_777_216,
  });
  return { text: stdout, refused: status === 0 ? '' : stdout + stderr };
}

export const lint = (values: Values) => run(['lint', '--strict', chart], values);
export const render = (values: Values) =>
  run(['template', 'roadstead', chart, '--namespace', 'agents', '--kube-version', '1.37'], values);
