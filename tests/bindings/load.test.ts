import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createInstance, load, MemplanError } from "memplan";
import { load as loadInline } from "memplan/inline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { smallGraph } from "./small_graph.ts";

const WASM = new URL("../../dist/memplan.wasm", import.meta.url);

async function failureOf(promise: Promise<unknown>): Promise<MemplanError> {
  const error = await promise.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(MemplanError);
  return error;
}

/** The smallest module there is. */
const OTHER_WASM = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

describe("load", () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === "/memplan.wasm") {
        // The wrong type, as many servers send it.
        response.writeHead(200, { "content-type": "text/plain" });
        response.end(readFileSync(WASM));
      } else if (request.url === "/page") {
        response.writeHead(200, { "content-type": "text/html" });
        response.end("<!doctype html><title>Not found</title>");
      } else if (request.url === "/broken.wasm") {
        response.writeHead(200, { "content-type": "application/wasm" });
        response.end(readFileSync(WASM).subarray(0, 100));
      } else {
        response.writeHead(404);
        response.end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it("gives the same planner each time", async () => {
    expect(await load()).toBe(await load());
  });

  it("takes null for no options", async () => {
    expect(await load(null as never)).toBe(await load());
    expect((await createInstance(null as never)).plan(smallGraph()).buffer_sizes).toEqual([0, 128]);
  });

  it("gives createInstance a planner of its own", async () => {
    const [one, two] = [await createInstance(), await createInstance()];
    expect(one).not.toBe(two);
    expect(one.plan(smallGraph())).toEqual(two.plan(smallGraph()));
  });

  it("works with the wasm inside the module", async () => {
    const inline = await loadInline();
    expect(inline.plan(smallGraph())).toEqual((await load()).plan(smallGraph()));
  });

  it.each([
    ["a URL text", () => `${url}/memplan.wasm`],
    ["a URL object", () => new URL(`${url}/memplan.wasm`)],
    ["a file URL", () => WASM],
    ["a path", () => new URL(WASM).pathname],
    ["bytes", () => new Uint8Array(readFileSync(WASM))],
    ["a Node buffer", () => readFileSync(WASM)],
    ["an ArrayBuffer", () => new Uint8Array(readFileSync(WASM)).buffer],
    ["a promise of a Response", () => fetch(`${url}/memplan.wasm`)],
    ["a Response without a URL", () => new Response(readFileSync(WASM))],
    ["a compiled module", () => new WebAssembly.Module(readFileSync(WASM))],
  ])("takes %s", async (_, wasm) => {
    const memplan = await createInstance({ wasm: wasm() });
    expect(memplan.plan(smallGraph()).buffer_sizes).toEqual([0, 128]);
  });

  it("finds out a page where the wasm should be, and names it", async () => {
    const error = await failureOf(createInstance({ wasm: `${url}/page` }));
    expect(error.code).toBe("WASM_LOAD");
    expect(error.message).toContain(`${url}/page`);
    expect(error.message).toContain("page of HTML");
    expect(error.message).toContain("load({ wasm })");
  });

  it.each([
    ["a URL that is not there", () => `${url}/nowhere`, "answered 404"],
    ["a server that is not there", () => "http://127.0.0.1:1/memplan.wasm", "127.0.0.1:1"],
    ["a file that is not there", () => "/nowhere/memplan.wasm", "/nowhere/memplan.wasm"],
    ["half a file", () => `${url}/broken.wasm`, "does not compile"],
    ["other bytes", () => new TextEncoder().encode("{}"), "not WebAssembly"],
    ["no bytes", () => new Uint8Array(), "not WebAssembly"],
    ["a promise that rejects", () => Promise.reject(new Error("offline")), "offline"],
    ["a number", () => 5 as never, "no URL"],
    ["a WebAssembly file of something else", () => OTHER_WASM, "not this memplan's"],
    ["a module of something else", () => new WebAssembly.Module(OTHER_WASM), "not this memplan's"],
  ])("says WASM_LOAD for %s", async (_, wasm, words) => {
    const error = await failureOf(createInstance({ wasm: wasm() }));
    expect(error.code).toBe("WASM_LOAD");
    expect(error.message).toContain(words);
  });

  it("tries again after a failure, and keeps what worked before", async () => {
    const before = await load();
    await failureOf(load({ wasm: `${url}/nowhere` }));
    expect(await load()).toBe(before);
  });
});
