#!/usr/bin/env node
/** The command `memplan`; GRAPH_FORMAT's "Command line" is its contract. */
import { version } from "../package.json";
import { runCli } from "./cli/commands.js";

// A reader that has seen enough (`memplan … | head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});
process.exitCode = await runCli(process.argv.slice(2), version);
