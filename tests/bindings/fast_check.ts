/** fast-check with the same inputs in every run; MEMPLAN_FUZZ_SECONDS takes others each time, as for the fuzz targets. */
import fc from "fast-check";

if (!process.env.MEMPLAN_FUZZ_SECONDS) fc.configureGlobal({ seed: 1 });

export default fc;
