/** Element types whose size memplan knows. Any other name is fine where a tensor gives `nbytes`. */
export type Dtype =
  | "uint8"
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "float16"
  | "float32"
  | "float64"
  | "complex32"
  | "complex64"
  | "complex128"
  | "bool"
  | "qint8"
  | "quint8"
  | "qint32"
  | "bfloat16"
  | "quint4x2"
  | "float8_e5m2"
  | "float8_e4m3fn"
  | "uint16"
  | "uint32"
  | "uint64";

/** One tensor of a {@link Graph}. */
export interface Tensor {
  /** Unique within its graph. */
  id: string;
  /** Element type; with `shape` it gives the size where `nbytes` does not. */
  dtype?: Dtype | (string & {});
  /** Elements along each dimension, outermost first; `[]` is a scalar. */
  shape?: number[];
  /** Bytes, 0 to 2^53 − 1; wins over `dtype` and `shape`. */
  nbytes?: number;
  /** A weight or another constant, never planned. Default false. */
  const?: boolean;
  /** Whether the size is fixed, an upper bound, or unknown until it runs (then it is never planned). Default `static`. */
  dynamism?: "static" | "dynamic_bound" | "dynamic_unbound";
  /** The memory pool it must lie in, from 1. */
  mem_id?: number;
  /** Id of the tensor whose bytes it writes over. */
  inplace_base?: string;
  /** Id of the tensor that it is a slice of. */
  storage_base?: string;
  /** Bytes from the start of `storage_base`. Default 0. */
  storage_base_offset?: number;
  /** Reads and writes, for choosing pools. */
  cost?: number;
  /** Where it lives, as in `cpu:0`. */
  device?: string;
}

/** Memory that a node needs while it runs, and at no other time. */
export interface Scratch {
  /** Bytes. */
  nbytes: number;
  /** Bytes; a power of two. */
  alignment?: number;
  /** Memory pool, from 1. */
  mem_id?: number;
}

/** One step of a {@link Graph}; its index in `nodes` is the unit of time. */
export interface Node {
  /** Unique within its graph. */
  name: string;
  /** What kind of node it is, as torch.fx has it. */
  op: "placeholder" | "get_attr" | "call_function" | "call_module" | "call_method" | "output";
  /** Operator name, or one of the targets with a meaning of their own (`memory.alloc`, `memory.view`, `cond`, …). */
  target?: string;
  /** Names of earlier nodes: args, then kwargs, flattened. */
  args?: string[];
  /** Ids of the tensors it yields; null stands for a value that is no tensor. */
  specs?: (string | null)[];
  /** Default `functional`. */
  variant?: "functional" | "out" | "inplace";
  /** Of a weight that is trained: under the ExecuTorch rules a constant that the node yields is planned too. Default false. */
  weight_has_gradient?: boolean;
  /** Of an `executorch_call_delegate`. */
  backend_id?: string;
  /** Names of the submodules that a control-flow node runs. */
  submodules?: string[];
  /** How many operands a `while` or `scan` carries from turn to turn. */
  carried?: number;
  /** How many operands a `map` or `scan` slices. */
  mapped?: number;
  /** Memory that it needs while it runs. */
  scratch?: Scratch[];
  /** Where it comes from in the model's source, carried through to views. */
  source?: string;
  /** Module path in the model, carried through to views. */
  module?: string;
}

/** A memory pool, the preferred ones first. */
export interface Pool {
  /** From 1. */
  mem_id: number;
  /** For people: `SRAM`. */
  name?: string;
  /** Bytes. */
  capacity?: number;
  /** Bytes; a power of two. */
  alignment?: number;
}

/** Which inputs of a graph are buffers that keep their bytes between runs. */
export interface Signature {
  /** Placeholder target → buffer name. */
  inputs_to_buffers?: Record<string, string>;
  /** Name of the node that holds the new value → buffer name. */
  buffers_to_mutate?: Record<string, string>;
}

/** A model as a list of steps in execution order; the input format, version 1. */
export interface Graph {
  /** Of the format. */
  version?: 1;
  /** Of the model. */
  name?: string;
  /** The unique tensors that the nodes refer to. */
  tensors: Tensor[];
  /** In execution order. */
  nodes: Node[];
  /** Branches and bodies of control flow, by name. */
  submodules?: Record<string, Graph>;
  /** Which inputs are mutable buffers. */
  signature?: Signature;
  /** The memory to plan into. */
  pools?: Pool[];
  /** Bytes taken already, per mem_id; index 0 is never used. */
  input_mem_buffer_sizes?: number[];
  /** Do not insist on the known targets. */
  encounter_to_out_var_failure?: boolean;
}

/** Several graphs of one model, planned together. */
export interface Methods {
  /** Of the format. */
  version?: 1;
  /** The graphs, by name. */
  methods: Record<string, Graph>;
  /** Whether buffers of one name have one place in all methods. */
  shared_buffers?: boolean;
}

/** One row of an {@link IntervalProblem}. */
export interface Buffer {
  /** Unique within the problem. */
  id: string;
  /** First time at which it is live, inclusive. */
  lower: number;
  /** Exclusive; equal to `lower` means never live. */
  upper: number;
  /** Bytes. */
  size: number;
  /** Bytes; a power of two. Default 1. */
  alignment?: number;
  /** Pins it to this offset, in bytes. */
  offset?: number;
  /** Memory pool, from 1. Default 1. */
  mem_id?: number;
  /** Times within `[lower, upper)` when it is not live, `[from, to)` each. */
  gaps?: [number, number][];
}

/** A problem that has lifetimes and no graph. MiniMalloc's CSV reads to the same thing. */
export interface IntervalProblem {
  /** Of the format. */
  version?: 1;
  /** Bytes, for all pools or per mem_id. */
  capacity?: number | number[];
  /** What is to be placed. */
  buffers: Buffer[];
  /** Pairs of ids that never overlap in bytes, whatever their times. */
  conflicts?: [string, string][];
}

/** What can be planned: an object, JSON or CSV text, or the UTF-8 bytes of either. */
export type Input = Graph | Methods | IntervalProblem | string | Uint8Array;

/**
 * Which lifetimes and accounting to use. `sound`: as they must be for the plan to be right. The others:
 * exactly as ExecuTorch had them in November 2024 (91afa6e923) and August 2026 (cff6f4dd32), faults included.
 */
export type Rules = "sound" | "executorch-2024" | "executorch-2026";

/** Options of {@link Memplan.plan}; all are optional. */
export interface Options {
  /** Default `sound`. */
  rules?: Rules;
  /** A name from {@link Memplan.algorithms}. Default `auto`, and `greedy` under the ExecuTorch rules. */
  algorithm?: string;
  /** Bytes; a power of two. Default 16. */
  alignment?: number;
  /** Whether the plan owns the graph's inputs. Default true. */
  allocGraphInput?: boolean;
  /** Whether the plan owns the graph's outputs. Default true. */
  allocGraphOutput?: boolean;
  /** Whether the plan owns mutable buffers. Default true. */
  allocMutableBuffers?: boolean;
  /** Milliseconds for algorithms that search. Default 1000; not used with `stepBudget`. */
  timeLimitMs?: number;
  /** Steps instead of the clock, so that the plan is the same on every machine. */
  stepBudget?: number;
  /** For algorithms that draw lots; a whole number from 0. Default 0. */
  seed?: number;
  /** Bytes; the search ends as soon as a plan is this small. */
  stopAt?: number;
  /** Bytes, for all pools or per mem_id (index 0 is never used). A plan that does not fit is an error. */
  capacity?: number | number[];
  /** `sound` only: whether the results of `cond` are the branch's own bytes, or copied. Default `move`. */
  controlFlowResults?: "move" | "copy";
  /** `sound` only: let operators write over an input that dies there; a list names the operators. Default false. */
  inplace?: boolean | string[];
  /** `executorch-2026` only: one set of buffers per device. Default false. */
  enableNonCpuMemoryPlanning?: boolean;
}

/** Options of {@link Memplan.verify}. */
export interface VerifyOptions
  extends Pick<
    Options,
    | "rules"
    | "alignment"
    | "allocGraphInput"
    | "allocGraphOutput"
    | "allocMutableBuffers"
    | "controlFlowResults"
    | "inplace"
    | "capacity"
    | "enableNonCpuMemoryPlanning"
  > {
  /** Under the ExecuTorch rules: do not complain of tensors that share bytes while both live. Default false. */
  allowLifetimeAndStorageOverlap?: boolean;
}

/** Where one tensor lies. */
export interface PlannedTensor {
  /** As in the input. */
  id: string;
  /** First and last node index that refer to its storage, inclusive; null where nothing does. */
  lifetime: [number, number] | null;
  /** Bytes, rounded up to the alignment. */
  allocated_memory: number;
  /** Memory pool, from 1; null where it is not planned. */
  mem_id: number | null;
  /** The shared object it lies in; null for algorithms without shared objects. */
  mem_obj_id: number | null;
  /** Bytes from the start of its pool; null where it is not planned. */
  mem_offset: number | null;
}

/** When a tensor without a bound is given back. */
export interface Free {
  /** Name of the node after which. */
  after: string;
  /** Id of the tensor. */
  tensor: string;
}

/** The plan of one graph. */
export interface GraphPlan {
  /** Bytes per mem_id; index 0 is never used. Null for a submodule that the rules never plan. */
  buffer_sizes: number[] | null;
  /** In the order of the graph's `tensors`. */
  tensors: PlannedTensor[];
  /** Tensors without a bound, each after the last node that reads it. */
  frees: Free[];
  /** By name, as in the graph. */
  submodules?: Record<string, GraphPlan>;
}

/** What one algorithm reached when several ran. */
export interface AlgorithmResult {
  /** A name from {@link Memplan.algorithms}. */
  algorithm: string;
  /** Bytes over all pools; null where it found nothing that fits. */
  total: number | null;
  /** Steps it took, the same on every machine. */
  steps: number;
}

/** Bytes that memplan would plan if it owned inputs and outputs, or only some of them. */
export interface Ownership {
  /** It owns both. */
  both: number;
  /** It owns the inputs alone. */
  inputs: number;
  /** It owns the outputs alone. */
  outputs: number;
  /** It owns neither. */
  neither: number;
}

/** Bytes that two ways to plan have saved. */
export interface Savings {
  /** Against reserving the largest submodule for ever. */
  nesting?: number;
  /** By writing results over dying inputs. */
  inplace?: number;
}

/** A result that is written over an input, or is not. */
export interface InplaceResult {
  /** Id of the result. */
  tensor: string;
  /** Id of the input. */
  base: string;
  /** Bytes saved, where it is written in place. */
  bytes?: number;
  /** Why it is not. */
  refused?: string;
}

/** Where the bytes of a mutable buffer lie. */
export interface StatePlace {
  /** Name, as in the signature. */
  buffer: string;
  /** Its size. */
  bytes: number;
  /** Memory pool; null where it is not planned. */
  mem_id: number | null;
  /** Bytes from the start of the pool; null where it is not planned. */
  mem_offset: number | null;
}

/** A tensor that its preferred pool had no room for. */
export interface Spill {
  /** Its id. */
  tensor: string;
  /** Memory pool that had no room. */
  from: number;
  /** Memory pool that it lies in. */
  to: number;
  /** In words. */
  reason: string;
}

/** The device that a set of buffers lies on. */
export interface BufferDevice {
  /** Memory pool. */
  mem_id: number;
  /** As in `cpu:0`. */
  device: string;
}

/** A memory plan: the very object that plan JSON holds. */
export interface Plan extends GraphPlan {
  /** Of the format. */
  version: 1;
  /** The algorithm that won. */
  algorithm: string;
  /** Whose lifetimes and accounting. */
  rules: Rules;
  /** As used, so that the plan can be checked later. */
  options: Record<string, unknown>;
  /** Of the parsed graph: text, object and key order do not matter. */
  graph_hash: string;
  /** Bytes per mem_id; index 0 is never used. */
  buffer_sizes: number[];
  /** `sound` only: bytes per mem_id; no plan can be smaller. */
  lower_bound?: number[];
  /** `sound` only: whether every pool is proven to be as small as can be. */
  optimal?: boolean;
  /** `auto` only. */
  results?: AlgorithmResult[];
  /** The plans of {@link Methods}, by name. */
  methods?: Record<string, GraphPlan>;
  /** `sound` with `auto` and `search` only: what other owners would come to. */
  ownership?: Ownership;
  /** `sound` only. */
  saved?: Savings;
  /** `sound` only, with the option `inplace`. */
  inplace?: InplaceResult[];
  /** `sound` only: the mutable buffers. */
  state?: StatePlace[];
  /** `sound` only, with pools that have a capacity. */
  spilled?: Spill[];
  /** With `enableNonCpuMemoryPlanning` only. */
  buffer_devices?: BufferDevice[];
}

/** One fault of a plan. */
export interface Fault {
  /** Which check found it. */
  check: "storage_reuse" | "graph_input_output" | "plan";
  /** Stable, upper case: `STORAGE_OVERLAP`, `MEM_OBJ_ID_MISMATCH`, … */
  code: string;
  /** In words. */
  message: string;
  /** Submodule names joined by `/`; empty for the top graph. */
  graph: string;
  /** Ids of those concerned. */
  tensors: string[];
  /** Names of those concerned. */
  nodes: string[];
  /** From (inclusive) and to (exclusive), in the pool. */
  bytes: [number, number];
}

/** The verdict on a plan. */
export interface Report {
  /** Whether there is no fault. */
  ok: boolean;
  /** Pairs of tensors of the top graph that share bytes; null where `storage_reuse` failed. */
  reuse_pairs: number | null;
  /** Every fault under `sound`; the first of each check under the ExecuTorch rules. */
  errors: Fault[];
}

/** What {@link Memplan.verify} needs of a plan, ours or anybody's. */
export interface PlanToVerify {
  /** Bytes per mem_id; index 0 is never used. */
  buffer_sizes: number[] | null;
  /** One for each tensor of the graph, in any order. */
  tensors: (Pick<PlannedTensor, "id" | "mem_id" | "mem_offset"> & Partial<PlannedTensor>)[];
  /** By name, as in the graph. */
  submodules?: Record<string, PlanToVerify>;
  /** By name, as in the input. */
  methods?: Record<string, PlanToVerify>;
  /** Where it is there, it must be the graph's. */
  graph_hash?: string;
}

/** One row of the table of algorithms. */
export interface Algorithm {
  /** As in the option `algorithm`. */
  name: string;
  /** One line, for a reader who chooses. */
  summary: string;
  /** The paper or upstream function that it follows. */
  source: string;
  /** What it honours beyond size, lifetime and one alignment. */
  honours: ("alignment" | "pins" | "gaps" | "conflicts")[];
  /** Whether it gives out whole slots only, as `mem_obj_id`. */
  shared_objects: boolean;
  /** Whether it searches, within the time limit. */
  searches: boolean;
}

/** How far a search is; bytes are summed over the pools. */
export interface Progress {
  /** The algorithm at work. */
  phase: string;
  /** Bytes of the best plan so far; null before there is one. */
  bestPeak: number | null;
  /** Bytes; no plan can be smaller, as far as is proven yet. */
  lowerBound: number;
  /** Steps used so far. */
  steps: number;
}
