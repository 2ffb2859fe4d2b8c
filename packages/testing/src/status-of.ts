/** The status that a client's call ends with: 200, or that of its error. An error without a status is thrown. */
export function statusOf(call: Promise<unknown>): Promise<number> {
  return call.then(
    () => 200,
    (error: unknown) => (hasStatus(error) ? error.status : Promise.reject(error)),
  );
}

const hasStatus = (error: unknown): error is Error & { readonly status: number } =>
  error instanceof Error && 'status' in error && typeof error.status === 'number';
