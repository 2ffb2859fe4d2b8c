/** Where a source is uploaded. Pure. */

const OWN_PATH = '/v2/uploads/';

/**
 * An address of the platform's own is reached where the platform is: it knows itself by one name, and commands may reach it by another,
 * such as a forwarded port.
 */
export function uploadAddressOf(platform_url: string, upload_url: string): string {
  const { pathname, search } = new URL(upload_url);
  return pathname.startsWith(OWN_PATH) ? new URL(pathname + search, platform_url).href : upload_url;
}
