#!/usr/bin/env node
/** The command `memplan`; the README's "Command line" is its contract. */
import { version } from "../package.json";
import { EXIT, runCli } from "./cli/commands.js";

// A reader that has seen enough (`memplan … | head`) is no error; a full disk is.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  process.stderr.write(`memplan: cannot write to standard output: ${error.message}\n`);
  process.exit(EXIT.usage);
});
process.exitCode = await runCli(process.argv.slice(2), version);
