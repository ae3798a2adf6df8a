import { WireType } from "@bufbuild/protobuf/wire";
import { ProtoCursor } from "./proto.js";

/** An extent: a number, or the symbol that stands for one. Undefined where the file says nothing. */
export type DeclaredDim = number | string | undefined;

export interface OnnxType {
  /** TensorProto.DataType; 0 where the value is no tensor (sequence, map, optional). */
  elementType: number;
  /** Undefined where not even the rank is told. */
  shape: DeclaredDim[] | undefined;
}

export interface OnnxValueInfo {
  name: string;
  type: OnnxType | undefined;
}

export interface OnnxTensor {
  name: string;
  dims: number[];
  dataType: number;
  /** Views of the data, as far as the file holds it. */
  raw: Uint8Array | undefined;
  /** Packed numbers by field number; the last one wins. */
  packed: Map<number, Uint8Array>;
  /** The same where they are written one at a time. */
  single: number[];
  external: boolean;
}

export interface OnnxAttribute {
  name: string;
  /** The function attribute that it takes its value from. */
  reference: string;
  f: number | undefined;
  i: number | undefined;
  s: string | undefined;
  tensor: OnnxTensor | undefined;
  graph: OnnxGraph | undefined;
  sparse: boolean;
  floats: number[];
  ints: number[];
  strings: number;
}

export interface OnnxNode {
  name: string;
  domain: string;
  op: string;
  overload: string;
  inputs: string[];
  outputs: string[];
  attributes: Map<string, OnnxAttribute>;
}

export interface OnnxGraph {
  name: string;
  nodes: OnnxNode[];
  initializers: OnnxTensor[];
  /** Names and shapes of sparse initialisers. */
  sparseInitializers: { name: string; dims: number[]; dataType: number }[];
  inputs: OnnxValueInfo[];
  outputs: OnnxValueInfo[];
  valueInfo: OnnxValueInfo[];
}

export interface OnnxFunction {
  name: string;
  domain: string;
  overload: string;
  inputs: string[];
  outputs: string[];
  nodes: OnnxNode[];
  /** Attributes with a default. */
  defaults: OnnxAttribute[];
  valueInfo: OnnxValueInfo[];
  opsets: Map<string, number>;
}

export interface OnnxModel {
  graph: OnnxGraph;
  /** Version by domain; "" is ai.onnx. */
  opsets: Map<string, number>;
  functions: OnnxFunction[];
}

/** Reads an .onnx file; weights are skipped. Field numbers are facts of the format (onnx.proto, IR version 13). */
export function readOnnxModel(bytes: Uint8Array): OnnxModel {
  const cursor = new ProtoCursor(bytes);
  return cursor.read((end) => new OnnxReader(cursor).model(end));
}

class OnnxReader {
  constructor(private readonly cursor: ProtoCursor) {}

  model(end: number): OnnxModel {
    const { cursor } = this;
    let graph: OnnxGraph | undefined;
    const opsets = new Map<string, number>();
    const functions: OnnxFunction[] = [];
    cursor.fields(end, (field, wire) => {
      if (field === 7) graph = cursor.nested(wire, "graph", (inner) => this.graph(inner));
      else if (field === 8) this.opset(wire, opsets);
      else if (field === 25) {
        functions.push(
          cursor.nested(wire, `functions[${functions.length}]`, (inner) => this.function(inner)),
        );
      } else return false;
      return true;
    });
    if (graph === undefined) throw cursor.error("has no graph");
    return { graph, opsets, functions };
  }

  private opset(wire: WireType, opsets: Map<string, number>): void {
    const { cursor } = this;
    cursor.nested(wire, "opset_import", (end) => {
      let domain = "";
      let version = 0;
      cursor.fields(end, (field, inner) => {
        if (field === 1) domain = cursor.string(inner);
        else if (field === 2) version = cursor.int(inner);
        else return false;
        return true;
      });
      opsets.set(domain === "ai.onnx" ? "" : domain, version);
    });
  }

  private graph(end: number): OnnxGraph {
    const { cursor } = this;
    const graph: OnnxGraph = {
      name: "",
      nodes: [],
      initializers: [],
      sparseInitializers: [],
      inputs: [],
      outputs: [],
      valueInfo: [],
    };
    const info = (wire: WireType, list: OnnxValueInfo[], step: string) =>
      list.push(cursor.nested(wire, `${step}[${list.length}]`, (inner) => this.valueInfo(inner)));
    cursor.fields(end, (field, wire) => {
      if (field === 1)
        graph.nodes.push(cursor.nested(wire, `node[${graph.nodes.length}]`, (e) => this.node(e)));
      else if (field === 2) graph.name = cursor.string(wire);
      else if (field === 5) {
        const step = `initializer[${graph.initializers.length}]`;
        graph.initializers.push(cursor.nested(wire, step, (inner) => this.tensor(inner)));
      } else if (field === 11) info(wire, graph.inputs, "input");
      else if (field === 12) info(wire, graph.outputs, "output");
      else if (field === 13) info(wire, graph.valueInfo, "value_info");
      else if (field === 15) {
        const step = `sparse_initializer[${graph.sparseInitializers.length}]`;
        graph.sparseInitializers.push(cursor.nested(wire, step, (inner) => this.sparse(inner)));
      } else return false;
      return true;
    });
    return graph;
  }

  private sparse(end: number): { name: string; dims: number[]; dataType: number } {
    const { cursor } = this;
    const result = { name: "", dims: [] as number[], dataType: 0 };
    cursor.fields(end, (field, wire) => {
      if (field === 1) {
        const values = cursor.nested(wire, "values", (inner) => this.tensor(inner));
        result.name = values.name;
        result.dataType = values.dataType;
      } else if (field === 3) cursor.ints(wire, result.dims);
      else return false;
      return true;
    });
    return result;
  }

  private node(end: number): OnnxNode {
    const { cursor } = this;
    const node: OnnxNode = {
      name: "",
      domain: "",
      op: "",
      overload: "",
      inputs: [],
      outputs: [],
      attributes: new Map(),
    };
    cursor.fields(end, (field, wire) => {
      if (field === 1) node.inputs.push(cursor.string(wire));
      else if (field === 2) node.outputs.push(cursor.string(wire));
      else if (field === 3) node.name = cursor.string(wire);
      else if (field === 4) node.op = cursor.string(wire);
      else if (field === 7) node.domain = cursor.string(wire);
      else if (field === 8) node.overload = cursor.string(wire);
      else if (field === 5) {
        const step = `attribute[${node.attributes.size}]`;
        const attribute = cursor.nested(wire, step, (inner) => this.attribute(inner));
        node.attributes.set(attribute.name, attribute);
      } else return false;
      return true;
    });
    if (node.op === "") throw cursor.error("a node without an operator");
    if (node.domain === "ai.onnx") node.domain = "";
    return node;
  }

  private attribute(end: number): OnnxAttribute {
    const { cursor } = this;
    const attribute: OnnxAttribute = {
      name: "",
      reference: "",
      f: undefined,
      i: undefined,
      s: undefined,
      tensor: undefined,
      graph: undefined,
      sparse: false,
      floats: [],
      ints: [],
      strings: 0,
    };
    cursor.fields(end, (field, wire) => {
      if (field === 1) attribute.name = cursor.string(wire);
      else if (field === 2) attribute.f = cursor.float(wire);
      else if (field === 3) attribute.i = cursor.int(wire);
      else if (field === 4) attribute.s = cursor.string(wire);
      else if (field === 5) attribute.tensor = cursor.nested(wire, "t", (inner) => this.tensor(inner));
      else if (field === 6) attribute.graph = cursor.nested(wire, "g", (inner) => this.graph(inner));
      else if (field === 7) cursor.floats(wire, attribute.floats);
      else if (field === 8) cursor.ints(wire, attribute.ints);
      else if (field === 21) attribute.reference = cursor.string(wire);
      else if (field === 22) {
        attribute.sparse = true;
        return false;
      } else if (field === 9) {
        attribute.strings++;
        return false;
      } else return false;
      return true;
    });
    if (attribute.name === "") throw cursor.error("an attribute without a name");
    return attribute;
  }

  private tensor(end: number): OnnxTensor {
    const { cursor } = this;
    const tensor: OnnxTensor = {
      name: "",
      dims: [],
      dataType: 0,
      raw: undefined,
      packed: new Map(),
      single: [],
      external: false,
    };
    const kFloat = 4;
    // float_data, int32_data, int64_data, double_data, uint64_data.
    const kData = [kFloat, 5, 7, 10, 11];
    cursor.fields(end, (field, wire) => {
      if (field === 1) cursor.ints(wire, tensor.dims);
      else if (field === 2) tensor.dataType = cursor.int(wire);
      else if (field === 8) tensor.name = cursor.string(wire);
      else if (field === 9) tensor.raw = cursor.bytes(wire);
      else if (field === 14) tensor.external = cursor.int(wire) === 1;
      else if (kData.includes(field)) {
        if (wire === WireType.LengthDelimited) tensor.packed.set(field, cursor.bytes(wire));
        else if (field === kFloat) cursor.floats(wire, tensor.single);
        else if (wire === WireType.Varint) cursor.ints(wire, tensor.single);
        else return false;
      } else return false;
      return true;
    });
    if (tensor.dims.some((extent) => extent < 0))
      throw cursor.error(`dims [${tensor.dims.join(", ")}] are negative`);
    return tensor;
  }

  private valueInfo(end: number): OnnxValueInfo {
    const { cursor } = this;
    const info: OnnxValueInfo = { name: "", type: undefined };
    cursor.fields(end, (field, wire) => {
      if (field === 1) info.name = cursor.string(wire);
      else if (field === 2) info.type = cursor.nested(wire, "type", (inner) => this.type(inner));
      else return false;
      return true;
    });
    return info;
  }

  private type(end: number): OnnxType {
    const { cursor } = this;
    let type: OnnxType = { elementType: 0, shape: undefined };
    cursor.fields(end, (field, wire) => {
      // Sparse tensors have the layout of dense ones.
      if (field !== 1 && field !== 8) return false;
      type = cursor.nested(wire, "tensor_type", (inner) => this.tensorType(inner));
      return true;
    });
    return type;
  }

  private tensorType(end: number): OnnxType {
    const { cursor } = this;
    const type: OnnxType = { elementType: 0, shape: undefined };
    cursor.fields(end, (field, wire) => {
      if (field === 1) type.elementType = cursor.int(wire);
      else if (field === 2) type.shape = cursor.nested(wire, "shape", (inner) => this.shape(inner));
      else return false;
      return true;
    });
    return type;
  }

  private shape(end: number): DeclaredDim[] {
    const { cursor } = this;
    const shape: DeclaredDim[] = [];
    cursor.fields(end, (field, wire) => {
      if (field !== 1) return false;
      shape.push(cursor.nested(wire, `dim[${shape.length}]`, (inner) => this.dim(inner)));
      return true;
    });
    return shape;
  }

  private dim(end: number): DeclaredDim {
    const { cursor } = this;
    let dim: DeclaredDim;
    cursor.fields(end, (field, wire) => {
      if (field === 1) {
        // Some exporters write -1 for what they do not know.
        const value = cursor.int(wire);
        dim = value < 0 ? undefined : value;
      } else if (field === 2) {
        const symbol = cursor.string(wire);
        dim = symbol === "" ? undefined : symbol;
      } else return false;
      return true;
    });
    return dim;
  }

  private function(end: number): OnnxFunction {
    const { cursor } = this;
    const result: OnnxFunction = {
      name: "",
      domain: "",
      overload: "",
      inputs: [],
      outputs: [],
      nodes: [],
      defaults: [],
      valueInfo: [],
      opsets: new Map(),
    };
    cursor.fields(end, (field, wire) => {
      if (field === 1) result.name = cursor.string(wire);
      else if (field === 4) result.inputs.push(cursor.string(wire));
      else if (field === 5) result.outputs.push(cursor.string(wire));
      else if (field === 7)
        result.nodes.push(cursor.nested(wire, `node[${result.nodes.length}]`, (e) => this.node(e)));
      else if (field === 9) this.opset(wire, result.opsets);
      else if (field === 10) result.domain = cursor.string(wire);
      else if (field === 11) result.defaults.push(cursor.nested(wire, "attribute", (e) => this.attribute(e)));
      else if (field === 12)
        result.valueInfo.push(cursor.nested(wire, "value_info", (e) => this.valueInfo(e)));
      else if (field === 13) result.overload = cursor.string(wire);
      else return false;
      return true;
    });
    if (result.domain === "ai.onnx") result.domain = "";
    return result;
  }
}
