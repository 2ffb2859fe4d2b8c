import { basename } from 'node:path';
import { jsonOf } from './package-manager-rules.ts';
import { readBuildFacts } from './project-facts.ts';
import { type ProjectImage, projectImage } from './project-image.ts';

export interface ProjectImageOptions {
  /** The project's root, as it is in the image. */
  readonly folder: string;
  /** The name of the folder that it comes from. */
  readonly name?: string | undefined;
  /** The path of `langgraph.json` below the root. */
  readonly config_path: string;
  readonly base_image?: string | undefined;
  readonly install_command?: string | undefined;
  readonly build_command?: string | undefined;
}

/** Reads a project, and plans its image by the rules by which it would be built here. */
export async function planProjectImage({
  folder,
  config_path,
  ...options
}: ProjectImageOptions): Promise<ProjectImage> {
  const facts = await readBuildFacts(folder, {
    langgraph_config_path: config_path,
    install_command: options.install_command ?? null,
    build_command: options.build_command ?? null,
  });
  const json = jsonOf(facts.config_file.text);
  return projectImage({
    ...facts,
    json: typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {},
    name: options.name ?? basename(folder),
    base_image: options.base_image,
  });
}
