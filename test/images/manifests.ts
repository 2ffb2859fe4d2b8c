import { execFileSync } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { venvWith } from '@roadstead/testing/processes';
import { npmWith } from '../support/npm-packages.ts';

/** The oldest and the newest Kubernetes that Roadstead is for. */
const VERSIONS = ['1.29', '1.37'];
const CUSTOM_KINDS = 'custom-kinds.mjs';
const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export interface ManifestChecker {
  /** What manifests in YAML say. */
  read(text: string): unknown[];
  /** What the schemas of each version, and of what operators bring, have against manifests in YAML or JSON. */
  complaintsOf(text: string): string;
}

/** Kubernetes' own schemas, which take no field that they don't know. */
export async function openManifestChecker(): Promise<ManifestChecker> {
  const made = await venvWith({ packages: ['kubernetes-validate==1.37.0'] });
  if (typeof made === 'string') throw new Error(made);
  const models = await npmWith({
    '@kubernetes-models/cloudnative-pg': '2.0.0',
    '@kubernetes-models/gateway-api': '2.0.0',
  });
  if (typeof models === 'string') throw new Error(models);
  // Node finds packages from where a module lies.
  const custom = join(models.folder, CUSTOM_KINDS);
  await copyFile(pathOf(CUSTOM_KINDS), custom);
  const check = (input: string, ...versions: readonly string[]) =>
    execFileSync(made.python, [pathOf('check-manifests.py'), ...versions], { input, encoding: 'utf8' });
  return {
    read: (text) => JSON.parse(check(text)) as unknown[],
    complaintsOf: (text) =>
      check(text, ...VERSIONS) +
      execFileSync(process.execPath, [custom], { input: check(text), encoding: 'utf8' }),
  };
}
