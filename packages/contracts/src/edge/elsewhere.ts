/** On an answer of a data plane to the edge: another one may have the deployment, so this is no answer for a caller yet. */
export const ELSEWHERE_HEADER = 'x-roadstead-elsewhere';
