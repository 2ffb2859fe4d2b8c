/** The little of the user's own TypeScript that tells schemas, by shape: of versions 5 and 6; later ones have no such API. */
export interface TypeScript {
  readonly TypeFlags: Readonly<
    Record<'StringLike' | 'NumberLike' | 'BooleanLike' | 'Null' | 'Undefined' | 'Void', number>
  >;
  readonly SymbolFlags: { readonly Optional: number };
  readonly ModuleKind: { readonly ESNext: number };
  readonly ModuleResolutionKind: { readonly Bundler: number };
  readonly ScriptTarget: { readonly ESNext: number };
  readonly sys: { readFile(path: string): string | undefined };
  createProgram(files: readonly string[], options: object, host: CompilerHost): Program;
  createCompilerHost(options: object): CompilerHost;
  createSourceFile(path: string, text: string, target: number): SourceFile;
  readConfigFile(path: string, read: (path: string) => string | undefined): { readonly config?: unknown };
  parseJsonConfigFileContent(
    config: unknown,
    host: TypeScript['sys'],
    folder: string,
  ): { readonly options: Readonly<Record<string, unknown>> };
  displayPartsToString(parts: unknown): string;
}

interface CompilerHost {
  fileExists(path: string): boolean;
  readFile(path: string): string | undefined;
  getSourceFile(path: string, ...rest: unknown[]): SourceFile | undefined;
}

interface Program {
  getSourceFile(path: string): SourceFile | undefined;
  getTypeChecker(): Checker;
}

export interface SourceFile {
  readonly statements: readonly { readonly name?: { readonly text: string } }[];
}

export interface Checker {
  getTypeAtLocation(node: object): Type;
  getTypeOfSymbolAtLocation(symbol: TypeSymbol, node: object): Type;
  getTypeArguments(type: Type): readonly Type[];
  isArrayType(type: Type): boolean;
  isTupleType(type: Type): boolean;
}

export interface TypeSymbol {
  readonly name: string;
  readonly flags: number;
  getDocumentationComment(checker: Checker): unknown;
}

export interface Type {
  readonly flags: number;
  readonly symbol?: { readonly name: string };
  readonly types?: readonly Type[];
  readonly value?: unknown;
  readonly intrinsicName?: string;
  isUnion(): boolean;
  isIntersection(): boolean;
  isStringLiteral(): boolean;
  isNumberLiteral(): boolean;
  getProperties(): readonly TypeSymbol[];
  getCallSignatures(): readonly unknown[];
  getStringIndexType(): Type | undefined;
}
