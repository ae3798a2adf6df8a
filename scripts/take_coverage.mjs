// A set-up file of vitest: leaves V8's counters where NODE_V8_COVERAGE says, since its workers are not let to end.
import { takeCoverage } from "node:v8";
import { afterAll } from "vitest";

afterAll(() => takeCoverage());
