import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { docker } from '../engine.ts';

/** Loads an image that is for another processor than any machine that tests run on. */
export function loadForeignImage(tag: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'roadstead-foreign-'));
  try {
    const tar = (name: string, ...files: readonly string[]) =>
      execFileSync('tar', ['--create', '--file', name, ...files], { cwd: folder });
    writeFileSync(join(folder, 'program'), 'of another processor');
    tar('layer.tar', 'program');
    const layer = createHash('sha256')
      .update(readFileSync(join(folder, 'layer.tar')))
      .digest('hex');
    const config = {
      architecture: 's390x',
      os: 'linux',
      config: { Entrypoint: ['/program'] },
      rootfs: { type: 'layers', diff_ids: [`sha256:${layer}`] },
      history: [],
    };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
    const manifest = [{ Config: 'config.json', RepoTags: [tag], Layers: ['layer.tar'] }];
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
    tar('image.tar', 'manifest.json', 'config.json', 'layer.tar');
    docker('load', '--input', join(folder, 'image.tar'));
    return tag;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
