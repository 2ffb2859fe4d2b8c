import { syncBuiltinESMExports } from 'node:module';

/**
 * Reading `process.env` asks the system each time, and LangChain and its tracer read it dozens of times a run. From now on a
 * copy answers. What is written still goes to the process, which makes text of it, hands it to its threads and sets
 * its time zone by it. Unlike the original, it must be spread to be passed in a message, and what a thread that shares
 * it or native code writes is not seen.
 */
export function quickenEnvironment(): void {
  const real = process.env;
  const copy = { ...real };
  const quick = new Proxy(copy, {
    set(_copy, name, value, receiver) {
      // An object that was made of it has its own.
      if (receiver !== quick)
        return Reflect.defineProperty(Object(receiver) as object, name, {
          value: value as unknown,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      return kept(name, Reflect.set(real, name, value));
    },
    deleteProperty: (_copy, name) => kept(name, Reflect.deleteProperty(real, name)),
    defineProperty: (_copy, name, property) => kept(name, Reflect.defineProperty(real, name, property)),
    preventExtensions: () => false,
  });
  process.env = quick;
  const { loadEnvFile } = process;
  // It writes past the object.
  process.loadEnvFile = (path) => {
    loadEnvFile.call(process, path);
    Object.assign(copy, real);
  };
  syncBuiltinESMExports();

  function kept(name: string | symbol, isDone: boolean): boolean {
    if (typeof name === 'symbol') return isDone;
    const value = real[name];
    if (value === undefined) delete copy[name];
    else copy[name] = value;
    return isDone;
  }
}
