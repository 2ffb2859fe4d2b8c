// What STYLE asks of files and no published rule knows. Loaded by `.oxlintrc.json`.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isBareParticiple, isHeadless } from './house/word-rules.ts';

const root = dirname(import.meta.dirname);
const statement =
  /^\s*(?:select\s|insert\s+into\s|update\s+\w+\s+(?:\w+\s+)?set\s|delete\s+from\s|with\s+(?:recursive\s+)?\w+\s+(?:\(.*\)\s+)?as\s|merge\s+into\s|truncate\s|lock\s+table\s|(?:create|alter|drop)\s+(?:table|index|schema|role|database|unique)\b)/i;
const isOfTests = (filename) => /\.test\.ts$|[/\\]testing[/\\]/.test(filename);
// The console knows no database; its classes of CSS read like statements.
const mayHoldSql =
  /(?:-store|-migrations)\.ts$|[/\\]migrations[/\\]|[/\\]postgres(?:-server)?[/\\]|packages[/\\]console[/\\]/;

/** SQL stands in stores and migrations only. */
const sqlInStores = {
  create(context) {
    if (mayHoldSql.test(context.filename)) return {};
    const look = (node, text) => {
      if (statement.test(text))
        context.report({ node, message: 'SQL belongs in a *-store.ts or a migration.' });
    };
    return {
      Literal: (node) => typeof node.value === 'string' && look(node, node.value),
      TemplateLiteral: (node) => look(node, node.quasis.map(({ value }) => value.raw).join('x')),
    };
  },
};

/** What two routes share is a rule, a store or a work. */
const noRouteInRoute = onImport((source, filename) =>
  filename.endsWith('-routes.ts') && source.endsWith('-routes.ts')
    ? 'A route imports no other route: what they share is a rule, a store or a work.'
    : undefined,
);

/** Another package is imported by its name, which says what it offers. */
const ownPackage = onImport((source, filename) => {
  if (!source.startsWith('.')) return undefined;
  const from = packageOf(filename);
  const to = packageOf(resolve(dirname(filename), source));
  return from === undefined || to === undefined || from === to
    ? undefined
    : 'Import another package by its name, not by a path into it.';
});

/** Tests of a package import nothing from the tests of the whole, and what the product runs imports no test helpers. */
const testsApart = onImport((source, filename) => {
  const [first] = relative(root, filename).split(sep);
  if (first !== 'packages') return undefined;
  if (source.startsWith('.') && relative(root, resolve(dirname(filename), source)).split(sep)[0] === 'test')
    return 'What tests of packages share is in @roadstead/testing: a package imports nothing from test/.';
  return source.startsWith('@roadstead/testing') && !isOfTests(filename)
    ? 'Tests alone import @roadstead/testing.'
    : undefined;
});

/** A folder of a package imports lower floors only. `floors.json` of the package names them, lowest first. */
const floors = onImport((source, filename) => {
  if (!source.startsWith('.') || isOfTests(filename)) return undefined;
  const from = floorOf(filename);
  const to = floorOf(resolve(dirname(filename), source));
  if (from === undefined || to === undefined || from.name === to.name) return undefined;
  for (const { name, level, list } of [from, to])
    if (level < 0) return `${list} does not name the folder ${name}.`;
  return from.level < to.level
    ? `${from.name} lies below ${to.name} (${from.list}): a folder imports lower floors only.`
    : undefined;
});

const floorsOfPackages = new Map();

/** The floor of a file in a package that names floors; that of a file right in `src` is `.`. */
function floorOf(path) {
  const [first, packageName, src, ...below] = relative(root, path).split(sep);
  if (first !== 'packages' || src !== 'src') return undefined;
  if (!floorsOfPackages.has(packageName)) {
    const file = join(root, first, packageName, 'floors.json');
    floorsOfPackages.set(packageName, existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);
  }
  const named = floorsOfPackages.get(packageName);
  if (named === undefined) return undefined;
  const name = below.length > 1 ? below[0] : '.';
  return { name, level: named.indexOf(name), list: `packages/${packageName}/floors.json` };
}

/** Two positional arguments, then one object: a third that is a bare value could as well stand in any other place. */
const twoPositional = {
  create(context) {
    const look = (node) => {
      if (!isOffered(node)) return;
      const [, , third, ...more] = node.params.filter(
        ({ type, name }) => type !== 'RestElement' && name !== 'this',
      );
      if (third === undefined) return;
      if (more.length > 0 || isBareValue(third.left ?? third))
        context.report({ node, message: 'At most two positional arguments, then one object with names.' });
    };
    return { FunctionDeclaration: look, FunctionExpression: look, ArrowFunctionExpression: look };
  },
};

/** A class that has grown does several things: 250 lines, and eight others that it works with. */
const smallClasses = {
  create(context) {
    if (/[/\\]testing[/\\]/.test(context.filename)) return {};
    const look = (node) => {
      const { start, end } = node.loc;
      const text = context.sourceCode.lines.slice(start.line - 1, end.line);
      const lines = text.filter((line) => !/^\s*(?:$|\/\/|\/?\*)/.test(line)).length;
      if (lines > 250) context.report({ node, message: `This class has ${lines} lines; at most 250.` });
      const others = node.body.body.filter(isCollaborator);
      if (others.length > 8)
        context.report({ node, message: `This class works with ${others.length} others; at most 8.` });
    };
    return { ClassDeclaration: look, ClassExpression: look };
  },
};

/** A type is named by a noun, and a comment has a subject. */
const plainWords = {
  create(context) {
    const look = ({ id }) => {
      if (id != null && isBareParticiple(id.name))
        context.report({
          node: id,
          message: `Name this type by a noun: "${id.name}" is a participle alone.`,
        });
    };
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments())
          if (isHeadless(comment.value))
            context.report({
              loc: comment.loc,
              message: 'Begin this comment with its subject, or with a verb.',
            });
      },
      TSInterfaceDeclaration: look,
      TSTypeAliasDeclaration: look,
      ClassDeclaration: look,
    };
  },
};

/** Vitest's own waits give up after a second, which a busy machine may need. */
const patientTests = {
  create(context) {
    if (/[/\\]testing[/\\]src[/\\]eventually\.ts$/.test(context.filename)) return {};
    return {
      MemberExpression: (node) => {
        if (node.object.name === 'vi' && /^wait(?:For|Until)$/.test(node.property.name))
          context.report({ node, message: 'Wait with `eventually` of @roadstead/testing.' });
      },
    };
  },
};

/** Values, lists and what the platform brings are no collaborators. */
const plain =
  /^(?:Abort\w+|Array|AsyncDisposableStack|Date|Map|Promise|Readonly\w*|Record|ReturnType|Set|URL|Uint8Array|Weak\w+|\w*(?:Options|Record|Row|Spec|Status|State|Timeout|Error|Problem))$/;

function isCollaborator({ type, static: isStatic, typeAnnotation, value }) {
  if (type !== 'PropertyDefinition' || isStatic) return false;
  const typed = typeAnnotation?.typeAnnotation;
  const name = value?.type === 'NewExpression' ? value.callee.name : typed?.typeName?.name;
  return name !== undefined && /^[A-Z]/.test(name) && !plain.test(name);
}

/** What other files can call: an exported function, or what is not private of a class. */
function isOffered({ parent, type }) {
  if (parent?.type === 'MethodDefinition')
    return parent.key.type !== 'PrivateIdentifier' && !mayOverride(parent);
  const declaration = type === 'FunctionDeclaration' ? parent : parent?.parent?.parent;
  return declaration?.type === 'ExportNamedDeclaration';
}

/** What a class inherits, it can't shape. */
const mayOverride = ({ kind, parent }) => kind !== 'constructor' && parent?.parent?.superClass != null;

const bare = new Set([
  'TSStringKeyword',
  'TSNumberKeyword',
  'TSBooleanKeyword',
  'TSBigIntKeyword',
  'TSUnknownKeyword',
  'TSArrayType',
  'TSFunctionType',
  'TSUnionType',
  'TSTypeOperator',
]);
const isBareValue = (parameter) => bare.has(parameter.typeAnnotation?.typeAnnotation?.type);

function packageOf(path) {
  const [first, name] = relative(root, path).split(sep);
  return first === 'packages' ? name : undefined;
}

function onImport(judge) {
  return {
    create(context) {
      const look = (node) => {
        const message =
          typeof node.source?.value === 'string' ? judge(node.source.value, context.filename) : undefined;
        if (message !== undefined) context.report({ node, message });
      };
      return {
        ImportDeclaration: look,
        ImportExpression: look,
        ExportNamedDeclaration: look,
        ExportAllDeclaration: look,
      };
    },
  };
}

export default {
  meta: { name: 'roadstead' },
  rules: {
    'sql-in-stores': sqlInStores,
    'no-route-in-route': noRouteInRoute,
    'own-package': ownPackage,
    'tests-apart': testsApart,
    floors,
    'two-positional': twoPositional,
    'small-classes': smallClasses,
    'plain-words': plainWords,
    'patient-tests': patientTests,
  },
};
