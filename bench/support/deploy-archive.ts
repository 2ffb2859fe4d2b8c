import type { Client } from '../../packages/contracts/src/index.ts';
import type { ControlPlaneContract, Deployment } from '../../packages/contracts/src/control-plane/index.ts';

/** All that a client does for a deployment from a folder, up to the acknowledged PATCH. */
export async function deployArchive(
  control: Client<ControlPlaneContract>,
  { name, archive }: { readonly name: string; readonly archive: Buffer },
): Promise<Deployment> {
  const { id } = await control.createDeployment({
    body: {
      name,
      source: 'internal_source',
      source_config: {},
      source_revision_config: { langgraph_config_path: 'langgraph.json' },
      secrets: [],
    },
  });
  const params = { deployment_id: id };
  const { upload_url, object_path } = await control.createUploadAddress({ params });
  const sent = await fetch(upload_url, { method: 'PUT', body: new Uint8Array(archive) });
  if (!sent.ok) throw new Error(await sent.text());
  const body = { source_revision_config: { source_tarball_path: object_path } };
  return control.patchDeployment({ params, body });
}
