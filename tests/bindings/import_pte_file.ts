/** Makes small .pte files for tests, with the builders that stand beside the generated readers. */
import * as flatbuffers from "flatbuffers";
import { AllocationDetails } from "../../build/readers/executorch/allocation-details.js";
import { Arguments } from "../../build/readers/executorch/arguments.js";
import { Call } from "../../build/readers/executorch/call.js";
import { Chain } from "../../build/readers/executorch/chain.js";
import { Delegate } from "../../build/readers/executorch/delegate.js";
import { EValue } from "../../build/readers/executorch/evalue.js";
import { ExecutionPlan } from "../../build/readers/executorch/execution-plan.js";
import { ExtraTensorInfo } from "../../build/readers/executorch/extra-tensor-info.js";
import { Instruction } from "../../build/readers/executorch/instruction.js";
import { List } from "../../build/readers/executorch/list.js";
import { Operator } from "../../build/readers/executorch/operator.js";
import { Program } from "../../build/readers/executorch/program.js";
import { Scalar } from "../../build/readers/executorch/scalar.js";
import { Step } from "../../build/readers/executorch/step.js";
import { Tensor } from "../../build/readers/executorch/tensor.js";
import { Value } from "../../build/readers/executorch/value.js";

export interface PteTensorRow {
  shape: number[];
  /** ScalarType; default float (6). */
  type?: number;
  /** Memory pool and offset. */
  at?: [memId: number, offset: number];
  hasData?: boolean;
  dynamism?: number;
  name?: string;
  device?: [type: number, index: number];
}

export type PteValueRow = PteTensorRow | { list: number[] } | "int";

export type PteInstructionRow =
  | { kernel: [name: string, overload: string]; args: number[] }
  | { delegate: string; args: number[] }
  | { move: [from: number, to: number] }
  | { jump: [condition: number, destination: number] }
  | { free: number };

export interface PteMethodRow {
  name: string;
  values: PteValueRow[];
  inputs: number[];
  outputs: number[];
  instructions: PteInstructionRow[];
  sizes: number[];
}

function addTensor(b: flatbuffers.Builder, row: PteTensorRow): number {
  const sizes = Tensor.createSizesVector(b, row.shape);
  let place = 0;
  if (row.at !== undefined) {
    AllocationDetails.startAllocationDetails(b);
    AllocationDetails.addMemoryId(b, row.at[0]);
    AllocationDetails.addMemoryOffsetLow(b, row.at[1] % 2 ** 32);
    AllocationDetails.addMemoryOffsetHigh(b, Math.floor(row.at[1] / 2 ** 32));
    place = AllocationDetails.endAllocationDetails(b);
  }
  let extra = 0;
  if (row.name !== undefined || row.device !== undefined) {
    const name = b.createString(row.name ?? "");
    ExtraTensorInfo.startExtraTensorInfo(b);
    ExtraTensorInfo.addFullyQualifiedName(b, name);
    ExtraTensorInfo.addDeviceType(b, row.device?.[0] ?? 0);
    ExtraTensorInfo.addDeviceIndex(b, row.device?.[1] ?? 0);
    extra = ExtraTensorInfo.endExtraTensorInfo(b);
  }
  Tensor.startTensor(b);
  Tensor.addScalarType(b, row.type ?? 6);
  Tensor.addSizes(b, sizes);
  Tensor.addDataBufferIdx(b, row.hasData ? 1 : 0);
  if (place !== 0) Tensor.addAllocationInfo(b, place);
  Tensor.addShapeDynamism(b, row.dynamism ?? 0);
  if (extra !== 0) Tensor.addExtraTensorInfo(b, extra);
  return Tensor.endTensor(b);
}

function addValue(b: flatbuffers.Builder, row: PteValueRow): number {
  if (row === "int") {
    Scalar.startScalar(b);
    return EValue.createEValue(b, Value.Int, Scalar.endScalar(b));
  }
  if ("list" in row) {
    const items = List.createItemsVector(b, row.list);
    List.startList(b);
    List.addItems(b, items);
    return EValue.createEValue(b, Value.TensorList, List.endList(b));
  }
  return EValue.createEValue(b, Value.Tensor, addTensor(b, row));
}

function addCall(b: flatbuffers.Builder, index: number, args: number[]): number {
  const vector = Call.createArgsVector(b, args);
  Call.startCall(b);
  Call.addIndex(b, index);
  Call.addArgs(b, vector);
  return Call.endCall(b);
}

function addStep(b: flatbuffers.Builder, first: number, second: number): number {
  Step.startStep(b);
  Step.addFirst(b, first);
  Step.addSecond(b, second);
  return Step.endStep(b);
}

function addInstruction(b: flatbuffers.Builder, row: PteInstructionRow, index: number): number {
  const instruction = (type: Arguments, args: number) => {
    Instruction.startInstruction(b);
    Instruction.addInstrArgsType(b, type);
    Instruction.addInstrArgs(b, args);
    return Instruction.endInstruction(b);
  };
  if ("kernel" in row) return instruction(Arguments.KernelCall, addCall(b, index, row.args));
  if ("delegate" in row) return instruction(Arguments.DelegateCall, addCall(b, index, row.args));
  if ("move" in row) return instruction(Arguments.MoveCall, addStep(b, ...row.move));
  if ("jump" in row) return instruction(Arguments.JumpFalseCall, addStep(b, ...row.jump));
  return instruction(Arguments.FreeCall, addStep(b, row.free, 0));
}

/** One operator and one delegate entry for each instruction, so that an instruction's index is theirs. */
function addMethod(b: flatbuffers.Builder, row: PteMethodRow): number {
  const name = b.createString(row.name);
  const values = ExecutionPlan.createValuesVector(
    b,
    row.values.map((value) => addValue(b, value)),
  );
  const operators = row.instructions.map((item) => {
    const [label, overload] = "kernel" in item ? item.kernel : ["", ""];
    const strings = [b.createString(label), b.createString(overload)] as const;
    Operator.startOperator(b);
    Operator.addName(b, strings[0]);
    Operator.addOverload(b, strings[1]);
    return Operator.endOperator(b);
  });
  const delegates = row.instructions.map((item) => {
    const id = b.createString("delegate" in item ? item.delegate : "");
    Delegate.startDelegate(b);
    Delegate.addId(b, id);
    return Delegate.endDelegate(b);
  });
  const instructions = Chain.createInstructionsVector(
    b,
    row.instructions.map((item, index) => addInstruction(b, item, index)),
  );
  Chain.startChain(b);
  Chain.addInstructions(b, instructions);
  const chains = ExecutionPlan.createChainsVector(b, [Chain.endChain(b)]);
  const vectors = {
    inputs: ExecutionPlan.createInputsVector(b, row.inputs),
    outputs: ExecutionPlan.createOutputsVector(b, row.outputs),
    operators: ExecutionPlan.createOperatorsVector(b, operators),
    delegates: ExecutionPlan.createDelegatesVector(b, delegates),
    sizes: ExecutionPlan.createNonConstBufferSizesVector(b, row.sizes.map(BigInt)),
  };
  ExecutionPlan.startExecutionPlan(b);
  ExecutionPlan.addName(b, name);
  ExecutionPlan.addValues(b, values);
  ExecutionPlan.addInputs(b, vectors.inputs);
  ExecutionPlan.addOutputs(b, vectors.outputs);
  ExecutionPlan.addChains(b, chains);
  ExecutionPlan.addOperators(b, vectors.operators);
  ExecutionPlan.addDelegates(b, vectors.delegates);
  ExecutionPlan.addNonConstBufferSizes(b, vectors.sizes);
  return ExecutionPlan.endExecutionPlan(b);
}

export function pteFile(methods: PteMethodRow[]): Uint8Array {
  const b = new flatbuffers.Builder(1024);
  const plans = Program.createExecutionPlanVector(
    b,
    methods.map((method) => addMethod(b, method)),
  );
  Program.startProgram(b);
  Program.addExecutionPlan(b, plans);
  Program.finishProgramBuffer(b, Program.endProgram(b));
  return b.asUint8Array().slice();
}
