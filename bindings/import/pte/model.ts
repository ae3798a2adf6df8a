import { Arguments } from "../../../build/readers/executorch/arguments.js";
import { Call } from "../../../build/readers/executorch/call.js";
import type { ExecutionPlan } from "../../../build/readers/executorch/execution-plan.js";
import type { Instruction as InstructionTable } from "../../../build/readers/executorch/instruction.js";
import { List } from "../../../build/readers/executorch/list.js";
import { Program } from "../../../build/readers/executorch/program.js";
import { Step } from "../../../build/readers/executorch/step.js";
import { Tensor as TensorTable } from "../../../build/readers/executorch/tensor.js";
import { Value as ValueType } from "../../../build/readers/executorch/value.js";
import { CheckedBytes, safeNumber, vector } from "../checked_bytes.js";
import { invalidInput } from "../invalid_input.js";

export interface PteTensor {
  kind: "tensor";
  dtype: string;
  shape: number[];
  /** Bytes an element. */
  elementSize: number;
  dynamism: "static" | "dynamic_bound" | "dynamic_unbound";
  /** Where ExecuTorch placed it; null where the caller or the runtime does. */
  place: { memId: number; offset: number } | null;
  /** Whether the file or one beside it holds its data. */
  hasData: boolean;
  /** Its name in the model, as in `layers.0.weight`; empty where the file has none. */
  name: string;
  /** As in `cuda:0`; empty for the CPU. */
  device: string;
}

export interface PteList {
  kind: "list";
  /** Value indices of the tensors in it; -1 stands for none. */
  items: number[];
}

export type PteValue = PteTensor | PteList | { kind: "other" };

export type PteInstruction =
  | { kind: "kernel"; name: string; overload: string; args: number[] }
  | { kind: "delegate"; backend: string; args: number[] }
  | { kind: "move"; from: number; to: number }
  | { kind: "jump"; condition: number; destination: number }
  | { kind: "free" };

export interface PteMethod {
  name: string;
  values: PteValue[];
  inputs: number[];
  outputs: number[];
  instructions: PteInstruction[];
  bufferSizes: number[];
  /** Devices by memory pool, as far as they are not the CPU. */
  bufferDevices: Map<number, string>;
}

/** Name and bytes by ScalarType (schema/scalar_type.fbs), which has holes. */
const kScalarTypes: Record<number, [string, number]> = {
  0: ["uint8", 1],
  1: ["int8", 1],
  2: ["int16", 2],
  3: ["int32", 4],
  4: ["int64", 8],
  5: ["float16", 2],
  6: ["float32", 4],
  7: ["float64", 8],
  8: ["complex32", 4],
  9: ["complex64", 8],
  10: ["complex128", 16],
  11: ["bool", 1],
  12: ["qint8", 1],
  13: ["quint8", 1],
  14: ["qint32", 4],
  15: ["bfloat16", 2],
  16: ["quint4x2", 1],
  17: ["quint2x4", 1],
  22: ["bits16", 2],
  23: ["float8_e5m2", 1],
  24: ["float8_e4m3fn", 1],
  25: ["float8_e5m2fnuz", 1],
  26: ["float8_e4m3fnuz", 1],
  27: ["uint16", 2],
  28: ["uint32", 4],
  29: ["uint64", 8],
};

const kDynamisms = ["static", "dynamic_bound", "dynamic_unbound"] as const;
const kDevices = ["cpu", "cuda"];
/** Bytes that a row counts for; see the reader of .tflite. */
const kRowCost = 24;
const kHeaderAt = 8;

/** The part of the file that is the FlatBuffer; throws where the extended header says that bytes are missing. */
function programBytes(bytes: Uint8Array): { program: Uint8Array; segmentBase: number } {
  const magic = String.fromCharCode(...bytes.subarray(kHeaderAt, kHeaderAt + 4));
  // "eh" and a version; without it segments follow nothing and all data is inline.
  if (!/^eh\d\d$/.test(magic)) return { program: bytes, segmentBase: 0 };
  const path = `extended_header, byte ${kHeaderAt}`;
  if (bytes.length < kHeaderAt + 24) throw invalidInput(path, "the file ends within the extended header");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const length = view.getUint32(kHeaderAt + 4, true);
  const size = Number(view.getBigUint64(kHeaderAt + 8, true));
  const base = Number(view.getBigUint64(kHeaderAt + 16, true));
  const dataSize =
    length >= 32 && bytes.length >= kHeaderAt + 32 ? Number(view.getBigUint64(kHeaderAt + 24, true)) : 0;
  if (length < 24) throw invalidInput(path, `a header of ${length} bytes is too short`);
  if (size > bytes.length) throw invalidInput(path, `the program's ${size} bytes end past the file`);
  if (base + dataSize > bytes.length) throw invalidInput(path, "the segments end past the file");
  return { program: bytes.subarray(0, size), segmentBase: base };
}

/** Reads the methods of a .pte file. Weights and delegates' data are not touched. */
export function readPteMethods(bytes: Uint8Array): PteMethod[] {
  const { program, segmentBase } = programBytes(bytes);
  return new PteReader(new CheckedBytes(program)).read(bytes.length, segmentBase);
}

class PteReader {
  constructor(private readonly bytes: CheckedBytes) {}

  read(fileSize: number, segmentBase: number): PteMethod[] {
    this.bytes.enter("program");
    const program = Program.getRootAsProgram(this.bytes);
    const segments = this.bytes.walk(program.segmentsLength(), kRowCost);
    for (let index = 0; index < segments; index++) {
      this.bytes.enter("segments", index);
      const segment = program.segments(index);
      if (segment === null) throw this.bytes.error("is missing");
      const end =
        segmentBase + safeNumber(this.bytes, segment.offset()) + safeNumber(this.bytes, segment.size());
      if (end > fileSize) throw this.bytes.error(`ends at byte ${end}, past the file of ${fileSize}`);
    }
    const methods: PteMethod[] = [];
    const count = this.bytes.walk(program.executionPlanLength(), kRowCost);
    for (let index = 0; index < count; index++) {
      this.bytes.enter("execution_plan", index);
      const plan = program.executionPlan(index);
      if (plan === null) throw this.bytes.error("is missing");
      methods.push(this.method(plan, `execution_plan[${index}]`));
    }
    this.bytes.enter("program");
    if (methods.length === 0) throw this.bytes.error("has no methods");
    return methods;
  }

  private method(plan: ExecutionPlan, path: string): PteMethod {
    const values = this.values(plan, path);
    this.bytes.enter(path);
    const indices = (list: string, length: number, element: (index: number) => number | null) => {
      const found = vector(this.bytes, length, 4, element);
      for (const index of found) this.checkIndex(list, index, values.length);
      return found;
    };
    const inputs = indices("inputs", plan.inputsLength(), (index) => plan.inputs(index));
    const outputs = indices("outputs", plan.outputsLength(), (index) => plan.outputs(index));
    const sizes = vector(this.bytes, plan.nonConstBufferSizesLength(), 8, (index) =>
      plan.nonConstBufferSizes(index),
    );
    return {
      name: plan.name() ?? "",
      values,
      inputs,
      outputs,
      instructions: this.instructions(plan, path, values.length),
      bufferSizes: sizes.map((size) => safeNumber(this.bytes, size)),
      bufferDevices: this.bufferDevices(plan, path),
    };
  }

  private checkIndex(list: string, index: number, count: number): void {
    if (index < 0 || index >= count) throw this.bytes.error(`${list} names value ${index}, of ${count}`);
  }

  private values(plan: ExecutionPlan, path: string): PteValue[] {
    const values: PteValue[] = [];
    const count = this.bytes.walk(plan.valuesLength(), kRowCost);
    for (let index = 0; index < count; index++) {
      this.bytes.enter(`${path}.values`, index);
      const value = plan.values(index);
      if (value === null) throw this.bytes.error("is missing");
      const type = value.valType();
      if (type === ValueType.Tensor)
        values.push(this.tensor(value.val(new TensorTable()) as TensorTable | null));
      else if (type === ValueType.TensorList || type === ValueType.OptionalTensorList) {
        const list = value.val(new List()) as List | null;
        const items =
          list === null ? [] : vector(this.bytes, list.itemsLength(), 4, (item) => list.items(item));
        values.push({ kind: "list", items });
      } else values.push({ kind: "other" });
    }
    this.bytes.enter(`${path}.values`);
    for (const value of values) {
      if (value.kind !== "list") continue;
      for (const item of value.items) if (item !== -1) this.checkIndex("a list", item, count);
    }
    return values;
  }

  private tensor(table: TensorTable | null): PteTensor {
    if (table === null) throw this.bytes.error("holds no tensor");
    const type = kScalarTypes[table.scalarType()];
    if (type === undefined) throw this.bytes.error(`scalar type ${table.scalarType()} is not known`);
    const shape = vector(this.bytes, table.sizesLength(), 4, (index) => table.sizes(index));
    if (shape.some((extent) => extent < 0))
      throw this.bytes.error(`sizes [${shape.join(", ")}] are negative`);
    const dynamism = kDynamisms[table.shapeDynamism()];
    if (dynamism === undefined) throw this.bytes.error(`dynamism ${table.shapeDynamism()} is not known`);
    const allocation = table.allocationInfo();
    const extra = table.extraTensorInfo();
    const kExternal = 1;
    return {
      kind: "tensor",
      dtype: type[0],
      elementSize: type[1],
      shape,
      dynamism,
      place:
        allocation === null
          ? null
          : {
              memId: allocation.memoryId(),
              offset: allocation.memoryOffsetHigh() * 2 ** 32 + allocation.memoryOffsetLow(),
            },
      hasData: table.dataBufferIdx() > 0 || extra?.location() === kExternal,
      name: extra?.fullyQualifiedName() ?? "",
      device: extra === null ? "" : deviceName(extra.deviceType(), extra.deviceIndex()),
    };
  }

  private instructions(plan: ExecutionPlan, path: string, values: number): PteInstruction[] {
    const operators = this.operators(plan, path);
    const delegates = this.delegates(plan, path);
    const instructions: PteInstruction[] = [];
    const chains = this.bytes.walk(plan.chainsLength(), kRowCost);
    for (let chainIndex = 0; chainIndex < chains; chainIndex++) {
      const chain = plan.chains(chainIndex);
      if (chain === null) throw this.bytes.error("a chain is missing");
      const start = instructions.length;
      const count = this.bytes.walk(chain.instructionsLength(), kRowCost);
      for (let index = 0; index < count; index++) {
        this.bytes.enter(`${path}.chains[${chainIndex}].instructions`, index);
        const table = chain.instructions(index);
        if (table === null) throw this.bytes.error("is missing");
        const instruction = this.instruction(table, operators, delegates, values);
        if (instruction.kind === "jump") {
          if (instruction.destination < 0 || instruction.destination > count) {
            throw this.bytes.error(`jumps to ${instruction.destination}, of ${count}`);
          }
          instruction.destination += start;
        }
        instructions.push(instruction);
      }
    }
    return instructions;
  }

  private instruction(
    table: InstructionTable,
    operators: [string, string][],
    delegates: string[],
    values: number,
  ): PteInstruction {
    const type = table.instrArgsType();
    if (type === Arguments.KernelCall || type === Arguments.DelegateCall) {
      const call = table.instrArgs(new Call()) as Call | null;
      if (call === null) throw this.bytes.error("has no arguments");
      const args = vector(this.bytes, call.argsLength(), 4, (index) => call.args(index));
      for (const index of args) this.checkIndex("an argument", index, values);
      const target = type === Arguments.KernelCall ? operators[call.index()] : delegates[call.index()];
      if (target === undefined) throw this.bytes.error(`calls ${call.index()}, which is not there`);
      return typeof target === "string"
        ? { kind: "delegate", backend: target, args }
        : { kind: "kernel", name: target[0], overload: target[1], args };
    }
    const step = table.instrArgs(new Step()) as Step | null;
    if (step === null) throw this.bytes.error("has no arguments");
    if (type === Arguments.MoveCall) {
      this.checkIndex("a move", step.first(), values);
      this.checkIndex("a move", step.second(), values);
      return { kind: "move", from: step.first(), to: step.second() };
    }
    if (type === Arguments.JumpFalseCall) {
      this.checkIndex("a jump", step.first(), values);
      return { kind: "jump", condition: step.first(), destination: step.second() };
    }
    if (type === Arguments.FreeCall) return { kind: "free" };
    throw this.bytes.error(`instruction type ${type} is not known`);
  }

  private operators(plan: ExecutionPlan, path: string): [string, string][] {
    const operators: [string, string][] = [];
    const count = this.bytes.walk(plan.operatorsLength(), kRowCost);
    for (let index = 0; index < count; index++) {
      this.bytes.enter(`${path}.operators`, index);
      const operator = plan.operators(index);
      if (operator === null) throw this.bytes.error("is missing");
      operators.push([operator.name() ?? "", operator.overload() ?? ""]);
    }
    return operators;
  }

  private delegates(plan: ExecutionPlan, path: string): string[] {
    const delegates: string[] = [];
    const count = this.bytes.walk(plan.delegatesLength(), kRowCost);
    for (let index = 0; index < count; index++) {
      this.bytes.enter(`${path}.delegates`, index);
      delegates.push(plan.delegates(index)?.id() ?? "");
    }
    return delegates;
  }

  private bufferDevices(plan: ExecutionPlan, path: string): Map<number, string> {
    const devices = new Map<number, string>();
    const count = this.bytes.walk(plan.nonConstBufferDeviceLength(), kRowCost);
    for (let index = 0; index < count; index++) {
      this.bytes.enter(`${path}.non_const_buffer_device`, index);
      const row = plan.nonConstBufferDevice(index);
      if (row === null) throw this.bytes.error("is missing");
      const device = deviceName(row.deviceType(), row.deviceIndex());
      if (device !== "") devices.set(row.bufferIdx(), device);
    }
    return devices;
  }
}

function deviceName(type: number, index: number): string {
  return type === 0 ? "" : `${kDevices[type] ?? `device${type}`}:${index}`;
}
