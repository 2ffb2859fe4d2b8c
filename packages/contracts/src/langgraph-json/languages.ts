/** The languages in which the modules of a project are written. */
export type Language = 'javascript' | 'python';

/** A `.py` file, or a dotted module name; everything else is JavaScript or TypeScript. */
export function languageOf(module: string): Language {
  const file = module.split(':')[0] ?? '';
  const isScript = /\.[cm]?[jt]sx?$/.test(file);
  return /\.py[xdi]?$/.test(file) || (/^\w+(\.\w+)*$/.test(file) && !isScript) ? 'python' : 'javascript';
}
